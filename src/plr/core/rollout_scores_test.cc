// Scores of rollouts: by hand, against a naive version, and against recordings.
#include "plr/core/rollout_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/gae.h"
#include "tests/support/golden.h"

namespace plr {
namespace {

using nlohmann::json;
using testing::golden_lines;

struct Rollout {
  std::size_t num_slots = 0;
  std::vector<float> rewards = {};
  std::vector<float> values = {};  // with the last row
  std::vector<std::uint8_t> done = {};
  std::vector<double> stored = {};

  std::vector<RolloutResult> results(const Discounts& discounts) const {
    std::vector<RolloutResult> results(num_slots);
    score_rollout({num_slots, rewards, values, done}, discounts, stored, results);
    return results;
  }
};

constexpr RolloutScore kAllScores[] = {RolloutScore::kMaxMc, RolloutScore::kPositiveValueLoss,
                                       RolloutScore::kValueL1, RolloutScore::kLearnability};

TEST(RolloutScores, AverageEpisodesNotSteps) {
  // Episodes of one and three steps with |A| = 1 and, with gamma 0, |A| = 3 each; then an open one.
  const Rollout rollout{.num_slots = 1,
                        .rewards = {1, 0, 0, 0, 100},
                        .values = {0, 3, 3, 3, 0, 0},
                        .done = {1, 0, 0, 1, 0},
                        .stored = {0}};
  const RolloutResult result = rollout.results({.gamma = 0, .lambda = 0})[0];
  EXPECT_EQ(result.episodes, 2);
  EXPECT_EQ(result.successes, 1);
  EXPECT_EQ(result.score(RolloutScore::kValueL1), 2);
  EXPECT_EQ(result.score(RolloutScore::kPositiveValueLoss), 0.5);
  EXPECT_EQ(result.best_return, 1) << "the open episode's reward does not count";
  EXPECT_EQ(result.score(RolloutScore::kMaxMc), 1 - 1.5);
  EXPECT_EQ(result.score(RolloutScore::kLearnability), 0.25);
}

TEST(RolloutScores, AreUnmeasuredWithoutAFinishedEpisode) {
  const Rollout rollout{.num_slots = 2,
                        .rewards = {1, 1},
                        .values = {0, 0, 0, 0},
                        .done = {0, 1},
                        .stored = {0.75, 0}};
  const RolloutResult result = rollout.results({})[0];
  for (const RolloutScore function : kAllScores) {
    EXPECT_EQ(result.score(function), kUnmeasuredScore);
  }
  EXPECT_EQ(result.episodes, 0);
  EXPECT_EQ(result.success_rate(), 0);
  EXPECT_EQ(result.best_return, 0.75);
}

TEST(RolloutScores, KeepTheLargerBestReturnWhichIsAtLeast0) {
  const Rollout rollout{.num_slots = 3,
                        .rewards = {0.5, 0.5, -2},
                        .values = {0, 0, 0, 0, 0, 0},
                        .done = {1, 1, 1},
                        .stored = {0.75, 0.25, -1}};
  const auto results = rollout.results({});
  EXPECT_EQ(results[0].best_return, 0.75);
  EXPECT_EQ(results[1].best_return, 0.5);
  EXPECT_EQ(results[2].best_return, 0);
  EXPECT_EQ(results[2].successes, 0);
}

// The definitions, written down directly for one slot.
double naive_score(const Rollout& rollout, std::size_t slot, RolloutScore function,
                   const Discounts& discounts) {
  const std::size_t length = rollout.done.size() / rollout.num_slots;
  const auto at = [&](std::size_t t) { return t * rollout.num_slots + slot; };
  std::vector<std::vector<std::size_t>> episodes(1);
  for (std::size_t t = 0; t < length; ++t) {
    episodes.back().push_back(t);
    if (rollout.done[at(t)] != 0) episodes.emplace_back();
  }
  episodes.pop_back();  // the unfinished one
  if (episodes.empty()) return kUnmeasuredScore;

  // Of a step of a finished episode.
  const auto advantage = [&](const std::vector<std::size_t>& episode, std::size_t from) {
    double sum = 0;
    double factor = 1;
    for (const std::size_t t : episode) {
      if (t < from) continue;
      const double next = t == episode.back() ? 0 : rollout.values[at(t + 1)];
      sum += factor * (rollout.rewards[at(t)] + discounts.gamma * next - rollout.values[at(t)]);
      factor *= discounts.gamma * discounts.lambda;
    }
    return sum;
  };
  double best = std::max(rollout.stored[slot], 0.0);
  double successes = 0;
  for (const auto& episode : episodes) {
    double sum = 0;
    bool is_success = false;
    for (const std::size_t t : episode) {
      sum += rollout.rewards[at(t)];
      if (rollout.rewards[at(t)] > 0) is_success = true;
    }
    best = std::max(best, sum);
    if (is_success) ++successes;
  }
  const auto count = static_cast<double>(episodes.size());
  if (function == RolloutScore::kLearnability) {
    return successes / count * (1 - successes / count);
  }
  double score = 0;
  for (const auto& episode : episodes) {
    double sum = 0;
    for (const std::size_t t : episode) {
      const double a = advantage(episode, t);
      if (function == RolloutScore::kMaxMc) sum += best - rollout.values[at(t)];
      if (function == RolloutScore::kPositiveValueLoss) sum += std::max(a, 0.0);
      if (function == RolloutScore::kValueL1) sum += std::abs(a);
    }
    score += sum / static_cast<double>(episode.size());
  }
  return score / count;
}

Rollout random_rollout(Random& random) {
  const std::size_t length = 1 + random.below(40);
  Rollout rollout{.num_slots = 1 + random.below(6)};
  const std::size_t count = length * rollout.num_slots;
  const std::uint64_t mean_length = 1 + random.below(20);
  for (std::size_t i = 0; i < count; ++i) {
    rollout.rewards.push_back(static_cast<float>(random.uniform() - 0.5));
    rollout.done.push_back(random.below(mean_length) == 0 ? 1 : 0);
  }
  for (std::size_t i = 0; i < count + rollout.num_slots; ++i) {
    rollout.values.push_back(static_cast<float>(random.uniform() - 0.25));
  }
  for (std::size_t i = 0; i < rollout.num_slots; ++i) rollout.stored.push_back(random.uniform());
  return rollout;
}

TEST(RolloutScores, EqualTheNaiveScoresOfRandomRollouts) {
  Random random = Streams(1).named("test");
  for (int round = 0; round < 1'000; ++round) {
    const Rollout rollout = random_rollout(random);
    const Discounts discounts{.gamma = random.uniform(), .lambda = random.uniform()};
    const auto results = rollout.results(discounts);
    for (std::size_t slot = 0; slot < rollout.num_slots; ++slot) {
      for (const RolloutScore function : kAllScores) {
        const double score = results[slot].score(function);
        const double expected = naive_score(rollout, slot, function, discounts);
        if (expected == kUnmeasuredScore) {
          ASSERT_EQ(score, expected);
        } else {
          ASSERT_NEAR(score, expected, 1e-12) << "round " << round << ", slot " << slot;
        }
      }
    }
  }
}

// A flat array of a recorded [T][N].
template <class T>
std::vector<T> flat(const json& rows) {
  std::vector<T> all;
  for (const json& row : rows) {
    for (const json& value : row) all.push_back(static_cast<T>(value.get<double>()));
  }
  return all;
}

Rollout rollout_of(const json& line) {
  Rollout rollout{.num_slots = line.at("N"),
                  .rewards = flat<float>(line.at("rewards")),
                  .values = flat<float>(line.at("values")),
                  .done = flat<std::uint8_t>(line.at("dones"))};
  for (const json& value : line.at("last_value")) rollout.values.push_back(value.get<float>());
  for (const json& value : line.at("stored_max_return")) {
    rollout.stored.push_back(value.is_null() ? 0.0 : value.get<float>());
  }
  return rollout;
}

constexpr double kTolerance = 1e-5;

void expect_recorded(double value, const json& recorded) {
  if (recorded.is_null()) {
    EXPECT_EQ(value, kUnmeasuredScore);
  } else {
    EXPECT_NEAR(value, recorded.get<double>(), kTolerance);
  }
}

TEST(RolloutScores, EqualGoldenScores) {
  const auto lines = golden_lines("maze/scores.jsonl.gz");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const json& line = lines[i];
    const auto results =
        rollout_of(line).results({.gamma = line.at("gamma"), .lambda = line.at("lam")});
    for (std::size_t slot = 0; slot < results.size(); ++slot) {
      SCOPED_TRACE("line " + std::to_string(i) + ", slot " + std::to_string(slot));
      const RolloutResult& result = results[slot];
      EXPECT_EQ(result.episodes, line.at("episodes")[slot].get<std::int64_t>());
      expect_recorded(result.best_return, line.at("max_return")[slot]);
      expect_recorded(result.success_rate(), line.at("success_rate")[slot]);
      expect_recorded(result.learnability(), line.at("learnability")[slot]);
      expect_recorded(result.score(RolloutScore::kMaxMc), line.at("maxmc")[slot]);
      expect_recorded(result.score(RolloutScore::kPositiveValueLoss), line.at("pvl")[slot]);
      expect_recorded(result.score(RolloutScore::kValueL1), line.at("l1")[slot]);
    }
  }
}

TEST(ComputeGae, EqualsGoldenAdvantagesOfTheMaze) {
  for (const json& line : golden_lines("maze/scores.jsonl.gz")) {
    const Rollout rollout = rollout_of(line);
    const auto expected = flat<double>(line.at("advantages"));
    std::vector<float> advantages(expected.size());
    compute_gae<float>(rollout.rewards, rollout.values, rollout.done, rollout.num_slots,
                       line.at("gamma"), line.at("lam"), advantages);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(advantages[i], expected[i], kTolerance) << i;
    }
  }
}

}  // namespace
}  // namespace plr
