#include "plr/core/rollout_scores.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "plr/core/gae.h"

namespace plr {
namespace {

// Sums over the steps of one slot's episode, from its end backward.
struct Episode {
  bool is_finished = false;
  bool is_success = false;
  std::int64_t steps = 0;
  double rewards = 0;
  double values = 0;
  double positive_advantages = 0;
  double absolute_advantages = 0;
};

// Adds an episode to the sums over episodes.
void add(const Episode& episode, RolloutResult& result) {
  if (!episode.is_finished) return;
  const auto steps = static_cast<double>(episode.steps);
  ++result.episodes;
  if (episode.is_success) ++result.successes;
  result.best_return = std::max(result.best_return, episode.rewards);
  result.mean_return += episode.rewards;
  result.mean_value += episode.values / steps;
  result.positive_value_loss += episode.positive_advantages / steps;
  result.value_l1 += episode.absolute_advantages / steps;
}

}  // namespace

double RolloutResult::success_rate() const {
  return episodes == 0 ? 0 : static_cast<double>(successes) / static_cast<double>(episodes);
}

double RolloutResult::score(RolloutScore function, double optimal_return) const {
  if (episodes == 0) return kUnmeasuredScore;
  switch (function) {
    case RolloutScore::kMaxMc:
      return best_return - mean_value;
    case RolloutScore::kPositiveValueLoss:
      return positive_value_loss;
    case RolloutScore::kValueL1:
      return value_l1;
    case RolloutScore::kLearnability:
      return learnability();
    case RolloutScore::kRegret:
      return optimal_return - mean_return;
  }
  return kUnmeasuredScore;
}

void score_rollout(const RolloutSteps& rollout, const Discounts& discounts,
                   std::span<const double> stored_best_returns, std::span<RolloutResult> results) {
  const std::size_t num_slots = rollout.num_slots;
  assert(rollout.values.size() == rollout.rewards.size() + num_slots);
  assert(rollout.done.size() == rollout.rewards.size());
  assert(stored_best_returns.size() == num_slots && results.size() == num_slots);
  for (std::size_t slot = 0; slot < num_slots; ++slot) {
    results[slot] = {.best_return = std::max(stored_best_returns[slot], 0.0)};
  }

  std::vector<Episode> episodes(num_slots);
  std::vector<double> advantages(num_slots, 0.0);  // of the step after
  for (std::size_t i = rollout.rewards.size(); i-- > 0;) {
    const std::size_t slot = i % num_slots;
    Episode& episode = episodes[slot];
    const bool is_end = rollout.done[i] != 0;
    if (is_end) {
      add(episode, results[slot]);
      episode = {.is_finished = true};
    }
    const double reward = rollout.rewards[i];
    const double value = rollout.values[i];
    const double next_value = is_end ? 0 : rollout.values[i + num_slots];
    const double next_advantage = is_end ? 0 : advantages[slot];
    const double advantage =
        gae_step(reward, value, next_value, next_advantage, discounts.gamma, discounts.lambda)
            .advantage;
    advantages[slot] = advantage;
    ++episode.steps;
    episode.is_success |= reward > 0;
    episode.rewards += reward;
    episode.values += value;
    episode.positive_advantages += std::max(advantage, 0.0);
    episode.absolute_advantages += std::abs(advantage);
  }

  for (std::size_t slot = 0; slot < num_slots; ++slot) {
    RolloutResult& result = results[slot];
    add(episodes[slot], result);
    if (result.episodes == 0) continue;
    const auto count = static_cast<double>(result.episodes);
    result.mean_return /= count;
    result.mean_value /= count;
    result.positive_value_loss /= count;
    result.value_l1 /= count;
  }
}

}  // namespace plr
