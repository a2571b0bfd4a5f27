#include "plr/train/evaluator.h"

#include <cmath>

#include "plr/learn/policy.h"

namespace plr::train {
namespace {

template <class Quantity>
double mean(const std::vector<PlayedEpisode>& episodes, Quantity quantity) {
  double sum = 0;
  for (const PlayedEpisode& episode : episodes) sum += quantity(episode);
  return episodes.empty() ? 0 : sum / static_cast<double>(episodes.size());
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
                           const std::function<bool()>& should_stop) {
  const auto num_slots = static_cast<std::size_t>(env_.spec().num_slots);
  learn::Policy policy(backend_, {.greedy = greedy}, num_slots);
  std::vector<double> rewards(num_slots);
  std::vector<std::uint8_t> terminated(num_slots);
  std::vector<std::uint8_t> truncated(num_slots);
  const StepBatch batch = {policy.observations(), rewards, terminated, truncated};
  std::vector<double> uniforms(num_slots);
  std::vector<Action> actions(num_slots);
  std::vector<float> log_probs(num_slots);
  std::vector<float> values(num_slots);

  // Slot s plays the levels s, s + N, s + 2N, ...
  Evaluation evaluation;
  evaluation.episodes.resize(levels.size());
  std::vector<std::size_t> playing(num_slots);  // [slot]: index of its level; may be past the end
  std::vector<Start> starts;
  const auto start = [&](std::size_t slot) {
    const LevelId level = levels[std::min(playing[slot], levels.size() - 1)];
    if (playing[slot] < levels.size()) evaluation.episodes[playing[slot]].level = level;
    starts.push_back({static_cast<int>(slot), level});
    policy.begin_episode(slot);
  };
  for (std::size_t slot = 0; slot < num_slots; ++slot) {
    playing[slot] = slot;
    start(slot);
  }
  env_.start(starts, batch);

  std::size_t num_left = levels.size();
  while (num_left > 0) {
    if (should_stop && should_stop()) {
      evaluation.is_complete = false;
      break;
    }
    for (double& u : uniforms) u = random.uniform();
    policy.act(uniforms, {actions, log_probs, values, {}});
    env_.step({0, env_.spec().num_slots}, actions, batch);
    starts.clear();
    for (std::size_t slot = 0; slot < num_slots; ++slot) {
      const bool is_counted = playing[slot] < levels.size();
      if (is_counted) {
        PlayedEpisode& episode = evaluation.episodes[playing[slot]];
        episode.episode_return += batch.rewards[slot];
        ++episode.length;
      }
      if (!batch.ended(static_cast<int>(slot))) continue;
      if (is_counted) {
        evaluation.episodes[playing[slot]].is_solved = env_.has_solved(static_cast<int>(slot));
        --num_left;
      }
      playing[slot] += num_slots;
      start(slot);
    }
    env_.start(starts, batch);
  }
  return evaluation;
}

}  // namespace plr::train
