// Scores of the levels of one rollout in which every slot plays one level, as in JaxUED.
//
// A slot repeats its level until the rollout ends. The score of the level is the mean over the
// slot's finished episodes of the mean over an episode's steps of
//
//   max_mc               R - V, where R is the highest return on the level so far
//   positive_value_loss  max(A, 0), where A is the advantage
//   value_l1             |A|
//
// so that every episode has the same weight, whatever its length. learnability is p (1 - p), where
// p is the fraction of finished episodes with a positive return. regret is the return of the
// shortest solution minus the mean return. Steps of the unfinished last episode do not count.
// Returns are undiscounted.
//
//   std::vector<RolloutResult> results(num_slots);
//   score_rollout(rollout, {.gamma = 0.995, .lambda = 0.98}, stored_best_returns, results);
//   buffer.insert(level, results[slot].score(RolloutScore::kMaxMc), results[slot].best_return);
//
// O(T * N) in double precision; allocates O(N). Thread-safe for different outputs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "plr/core/curriculum.h"

namespace plr {

enum class RolloutScore : std::uint8_t {
  kMaxMc,
  kPositiveValueLoss,
  kValueL1,
  kLearnability,
  kRegret
};
constexpr std::array<std::string_view, 5> enum_names(RolloutScore) {
  return {"max_mc", "positive_value_loss", "value_l1", "learnability", "regret"};
}
constexpr std::array<std::string_view, 5> enum_texts(RolloutScore) {
  return {"mean R - V, R the highest return on the level so far, at least 0",
          "mean max(A, 0), A the advantage", "mean |A|",
          "p (1 - p), p the fraction of episodes with a positive return",
          "the return of the shortest solution minus the mean return"};
}

// T steps of N slots.
struct RolloutSteps {
  std::size_t num_slots = 0;
  std::span<const float> rewards;      // [T, N]
  std::span<const float> values;       // [T + 1, N]; the last row bootstraps unfinished episodes
  std::span<const std::uint8_t> done;  // [T, N]; step t ended the episode
};

// Of the advantages.
struct Discounts {
  double gamma = 0.995;
  double lambda = 0.98;
};

// The result of one slot.
struct RolloutResult {
  std::int64_t episodes = 0;   // finished ones
  std::int64_t successes = 0;  // those with a positive reward
  double best_return = 0;      // R; at least 0
  double mean_return = 0;      // of the finished episodes
  double mean_value = 0;       // means over episodes of the means over their steps
  double positive_value_loss = 0;
  double value_l1 = 0;

  // 0 without a finished episode.
  double success_rate() const;
  double learnability() const { return success_rate() * (1 - success_rate()); }
  // kUnmeasuredScore without a finished episode. Only regret needs the optimal return.
  double score(RolloutScore function, double optimal_return = 0) const;
};

// stored_best_returns[slot] is the best return on the slot's level before the rollout, 0 for a new
// level. REQUIRES: the sizes in the brackets, N stored returns and N results.
void score_rollout(const RolloutSteps& rollout, const Discounts& discounts,
                   std::span<const double> stored_best_returns, std::span<RolloutResult> results);

}  // namespace plr
