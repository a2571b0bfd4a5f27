#include "plr/train/evaluator.h"

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "plr/learn/policy.h"

namespace plr::train {
namespace {

template <class Quantity>
double mean(const std::vector<PlayedEpisode>& episodes, Quantity quantity) {
  double sum = 0;
  for (const PlayedEpisode& episode : episodes) sum += quantity(episode);
  return episodes.empty() ? 0 : sum / static_cast<double>(episodes.size());
}

[[noreturn]] void refuse_length(const EnvSpec& env, LevelId level) {
  throw std::runtime_error("level " + std::to_string(level) + " of " + env.name +
                           " did not end within max_steps, " + std::to_string(env.max_steps));
}

// Steps the slots, which are in ascending order, with their actions.
void step(VectorEnv& env, std::span<const int> slots, std::span<const Action> actions,
          const StepBatch& out) {
  const std::size_t size = env.spec().actions.size();
  const auto words_of = [&](SlotRange range) {
    return actions.subspan(static_cast<std::size_t>(range.begin) * size,
                           static_cast<std::size_t>(range.size()) * size);
  };
  if (!env.spec().prefers_ranges) {
    env.workers().run_throwing({0, static_cast<int>(slots.size())}, [&](int i) {
      const int slot = slots[static_cast<std::size_t>(i)];
      env.step_slot(slot, words_of({slot, slot + 1}), out);
    });
    return;
  }
  for (std::size_t i = 0; i < slots.size();) {
    SlotRange range = {slots[i], slots[i]};
    while (i < slots.size() && slots[i] == range.end) {
      ++range.end;
      ++i;
    }
    env.step_range(range, words_of(range), out);
  }
}

}  // namespace

double Evaluation::mean_return() const {
  return mean(episodes, [](const PlayedEpisode& e) { return e.episode_return; });
}
double Evaluation::success_rate() const {
  return mean(episodes, [](const PlayedEpisode& e) { return e.is_solved ? 1.0 : 0.0; });
}
double Evaluation::mean_length() const {
  return mean(episodes, [](const PlayedEpisode& e) { return static_cast<double>(e.length); });
}
double Evaluation::standard_error() const {
  const auto n = static_cast<double>(episodes.size());
  if (n < 2) return 0;
  const double m = mean_return();
  const double squares = n * mean(episodes, [m](const PlayedEpisode& e) {
                           return (e.episode_return - m) * (e.episode_return - m);
                         });
  return std::sqrt(squares / (n - 1) / n);
}

Evaluator::Evaluator(VectorEnv& env, learn::Backend& backend) : env_(env), backend_(backend) {}

Evaluation Evaluator::play(const std::vector<LevelId>& levels, bool greedy, Random random,
                           const EvaluationWatch& watch) {
  const auto num_slots = static_cast<std::size_t>(env_.spec().num_slots);
  learn::Policy policy(backend_, {.greedy = greedy}, num_slots);
  std::vector<double> rewards(num_slots);
  std::vector<std::uint8_t> terminated(num_slots);
  std::vector<std::uint8_t> truncated(num_slots);
  const StepBatch batch = {policy.observations(), rewards, terminated, truncated};
  std::vector<double> uniforms(num_slots);
  std::vector<Action> actions(num_slots * env_.spec().actions.size());
  std::vector<float> log_probs(num_slots);
  std::vector<float> values(num_slots);

  // Slot s plays the levels s, s + N, s + 2N, ..., and retires after the last of them.
  Evaluation evaluation;
  evaluation.episodes.resize(levels.size());
  std::vector<std::size_t> playing(num_slots);  // [slot]: index of its level
  std::vector<int> running;                     // the slots that have not retired
  std::vector<Start> starts;
  const auto start_or_retire = [&](int slot) {
    const std::size_t index = playing[static_cast<std::size_t>(slot)];
    const bool has_level = index < levels.size();
    if (has_level) {
      evaluation.episodes[index].level = levels[index];
      starts.push_back({slot, levels[index]});
      policy.begin_episode(static_cast<std::size_t>(slot));
    } else {
      policy.retire(static_cast<std::size_t>(slot));
    }
    return has_level;
  };
  for (std::size_t slot = 0; slot < num_slots; ++slot) {
    playing[slot] = slot;
    if (start_or_retire(static_cast<int>(slot))) running.push_back(static_cast<int>(slot));
  }
  env_.start(starts, batch);

  std::size_t num_ended = 0;
  while (!running.empty()) {
    if (watch.progressed) {
      watch.progressed(static_cast<double>(num_ended) / static_cast<double>(levels.size()));
    }
    if (watch.should_stop && watch.should_stop()) {
      evaluation.is_complete = false;
      break;
    }
    // A number belongs to a step and a slot, whichever slots are left.
    for (double& u : uniforms) u = random.uniform();
    policy.act(uniforms, {actions, log_probs, values, {}});
    step(env_, running, actions, batch);
    starts.clear();
    std::erase_if(running, [&](int slot) {
      const auto s = static_cast<std::size_t>(slot);
      PlayedEpisode& episode = evaluation.episodes[playing[s]];
      episode.episode_return += batch.rewards[s];
      ++episode.length;
      if (!batch.ended(slot)) {
        if (episode.length >= env_.spec().max_steps) refuse_length(env_.spec(), episode.level);
        return false;
      }
      ++num_ended;
      episode.is_solved = env_.has_solved(slot);
      playing[s] += num_slots;
      return !start_or_retire(slot);
    });
    env_.start(starts, batch);
  }
  return evaluation;
}

}  // namespace plr::train
