// Compares the sampler with the naive one of tests/support/naive_replay.h.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "plr/core/level_replay.h"
#include "tests/support/chi_square.h"
#include "tests/support/naive_replay.h"

namespace plr {
namespace {

using testing::chi_square_deviations;
using testing::NaiveReplay;

template <class E>
E any_of(Random& random) {
  return static_cast<E>(random.below(enum_names(E{}).size()));
}

double one_of(Random& random, std::vector<double> values) {
  return values[random.below(values.size())];
}

LevelReplayConfig random_config(Random& random) {
  LevelReplayConfig config;
  config.transform = any_of<Transform>(random);
  config.temperature = one_of(random, {0.1, 0.5, 1, 1.4, 2});
  config.staleness_coef = one_of(random, {0, 0.1, 0.3, 1});
  config.epsilon = one_of(random, {0, 0.05, 0.5, 1});
  config.smoothing = one_of(random, {1, 1, 0.6});
  config.schedule = any_of<ReplaySchedule>(random);
  config.replay_probability = one_of(random, {0.5, 0.95});
  config.warmup_fraction = one_of(random, {0, 0, 0.2, 1});
  config.replay_unseen = random.below(2) == 0;
  config.seen_on = any_of<SeenOn>(random);
  config.start.first_levels = any_of<FirstLevels>(random);
  config.staleness_offset = random.below(2);
  config.proportional_offset = one_of(random, {0, 1e-3});
  config.clip_negative = random.below(2) == 0;
  config.unseen_compete = random.below(2) == 0;
  config.buffer_size = 1 + random.below(20);
  config.eviction = any_of<Eviction>(random);
  config.evict_on_tie = random.below(2) == 0;
  return config;
}

void expect_same(const LevelReplay& fast, const NaiveReplay& naive) {
  ASSERT_EQ(fast.num_draws(), naive.num_draws());
  ASSERT_NEAR(fast.replay_probability(), naive.replay_probability(), 1e-15);
  const std::vector<LevelWeight> weights = fast.weights();
  const std::vector<double> expected = naive.probabilities();
  ASSERT_EQ(weights.size(), expected.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    ASSERT_EQ(weights[i].level, naive.seen()[i].level);
    ASSERT_EQ(weights[i].is_scored, naive.seen()[i].is_scored);
    ASSERT_EQ(weights[i].score, naive.seen()[i].score);
    ASSERT_NEAR(weights[i].probability, expected[i], 1e-12) << "slot " << i;
  }
}

// Plays `num_slots` episodes at a time, which end in random order, with one kind of scores.
void play_beside_each_other(const LevelReplayConfig& config, std::size_t num_levels, bool is_stream,
                            int operations, Random& random) {
  LevelReplay fast(is_stream ? LevelSet::stream(0, 1'000'000) : LevelSet::range(0, num_levels),
                   config, random);
  NaiveReplay naive(config, num_levels, is_stream);
  const std::uint64_t kind = random.below(4);
  const auto score = [&]() -> double {
    switch (kind) {
      case 0:
        return random.uniform();  // positive
      case 1:
        return 2 * random.uniform() - 1;  // signed
      case 2:
        return static_cast<double>(random.below(4)) / 4;  // many ties and zeros
      default:
        return -random.uniform();  // negative
    }
  };
  std::vector<LevelId> playing = fast.first(3);
  naive.begin(playing);
  ASSERT_NO_FATAL_FAILURE(expect_same(fast, naive)) << "of the first levels";
  for (int i = 0; i < operations; ++i) {
    LevelId& level = playing[random.below(playing.size())];
    const double s = score();
    fast.record({.level = level, .score = s});
    naive.record(level, s);
    ASSERT_NO_FATAL_FAILURE(expect_same(fast, naive)) << "after record " << i;
    naive.choose(level = fast.next());
    ASSERT_NO_FATAL_FAILURE(expect_same(fast, naive)) << "after draw " << i;
  }
}

TEST(LevelReplay, EqualsTheNaiveSamplerOverAHundredThousandOperations) {
  Random random = Streams(1).named("test");
  for (int round = 0; round < 1'000; ++round) {
    LevelReplayConfig config = random_config(random);
    config.transform = static_cast<Transform>(round % 6);
    const bool is_stream = round % 3 == 0;
    const std::size_t num_levels = 1 + random.below(40);
    ASSERT_NO_FATAL_FAILURE(play_beside_each_other(config, num_levels, is_stream, 50, random))
        << "round " << round << (is_stream ? " of a stream" : " of a set") << "\n"
        << fields_text(config);
  }
}

TEST(LevelReplay, EqualsTheNaiveSamplerForManyLevels) {
  // Enough levels for three levels of nodes in the ranking and the sum trees.
  Random random = Streams(2).named("test");
  for (const Transform transform : {Transform::kRank, Transform::kProportional}) {
    const LevelReplayConfig config{.transform = transform, .temperature = 1.4};
    LevelReplay fast(LevelSet::range(0, 20'000), config, random);
    NaiveReplay naive(config, 20'000, false);
    for (int i = 0; i < 20'000; ++i) {
      fast.choose(i);
      naive.choose(i);
    }
    for (int i = 0; i < 20'000; ++i) {
      const double s = random.uniform();
      fast.record({.level = static_cast<LevelId>(i), .score = s});
      naive.record(i, s);
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(fast, naive));
  }
}

TEST(ReplayDistribution, DrawsWithItsProbabilities) {
  Random random = Streams(3).named("test");
  for (int round = 0; round < 240; ++round) {
    LevelReplayConfig config = random_config(random);
    config.transform = static_cast<Transform>(round % 6);
    ReplayDistribution replay(config, 40, 40);
    const double shift = round % 4 == 3 ? 1 : 0;  // in some rounds all scores are negative
    for (int i = 0; i < 30; ++i) {
      const auto slot = replay.append(1 + static_cast<std::int64_t>(random.below(100)));
      if (i % 7 != 0) replay.set_score(slot, random.uniform() - shift);  // some have none
    }
    std::vector<double> expected;
    replay.probabilities(101, expected);
    constexpr int kDraws = 20'000;
    for (double& p : expected) p *= kDraws;
    std::vector<int> counts(expected.size(), 0);
    for (int i = 0; i < kDraws; ++i) ++counts.at(replay.draw(random, 101));
    EXPECT_LT(chi_square_deviations(expected, counts), 5) << fields_text(config);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (expected[i] == 0) {
        EXPECT_EQ(counts[i], 0);
      }
    }
  }
}

TEST(ReplayDistribution, KeepsItsProbabilitiesIfWeightsWouldOverflow) {
  // 1e40^10 and exp(1e5) are beyond a double; the ratio of neighbors is not.
  for (const auto& [transform, temperature, low, high, ratio] :
       {std::tuple{Transform::kProportional, 0.1, 1e40, 1.1e40, std::pow(1.1, 10)},
        std::tuple{Transform::kProportional, 0.1, 1e-40, 1.1e-40, std::pow(1.1, 10)},
        std::tuple{Transform::kSoftmax, 0.1, 1e4, 1e4 + 0.1, std::exp(1.0)},
        std::tuple{Transform::kSoftmax, 0.1, -1e4, -1e4 + 0.1, std::exp(1.0)}}) {
    ReplayDistribution replay({.transform = transform, .temperature = temperature}, 3, 3);
    for (const double score : {1.0, low, high}) replay.set_score(replay.append(1), score);
    replay.set_score(0, low);  // removes the score that set the scale
    std::vector<double> p;
    replay.probabilities(2, p);
    EXPECT_NEAR((p[2] - 0.1 / 3) / (p[1] - 0.1 / 3), ratio, 1e-9 * ratio);
    EXPECT_DOUBLE_EQ(p[0], p[1]);
  }
}

}  // namespace
}  // namespace plr
