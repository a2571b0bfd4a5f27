#include "plr/core/level_replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

#include "plr/core/uniform.h"
#include "tests/support/error_message.h"

namespace plr {
namespace {

Random levels_stream() { return Streams(1).named("levels"); }

LevelReplay replay_of(std::uint64_t num_levels, const LevelReplayConfig& config = {}) {
  return {LevelSet::range(0, num_levels), config, levels_stream()};
}

// A sampler that has seen `scores.size()` levels, in order, with these scores.
LevelReplay scored(const std::vector<double>& scores, const LevelReplayConfig& config) {
  LevelReplay replay = replay_of(scores.size(), config);
  for (LevelId level = 0; level < scores.size(); ++level) replay.choose(level);
  for (LevelId level = 0; level < scores.size(); ++level) {
    replay.record({.level = level, .score = scores[level]});
  }
  return replay;
}

std::vector<double> probabilities(const LevelReplay& replay) {
  std::vector<double> p;
  for (const LevelWeight& w : replay.weights()) p.push_back(w.probability);
  return p;
}

// 200 levels; the sums over k of k^-10 and k^-1 are 1.000994575 and 5.878030948.
TEST(LevelReplay, WeighsRanksAsThePaperDoes) {
  std::vector<double> scores(200);
  for (std::size_t i = 0; i < 200; ++i) scores[i] = 200.0 - static_cast<double>(i);
  const auto cold = probabilities(scored(scores, {.temperature = 0.1, .staleness_coef = 0}));
  EXPECT_NEAR(cold[0], 0.99901, 5e-6);
  EXPECT_NEAR(cold[1], 0.00098, 5e-6);
  EXPECT_NEAR(cold[2], 0.00002, 5e-6);
  const auto warm = probabilities(scored(scores, {.temperature = 1, .staleness_coef = 0}));
  EXPECT_NEAR(warm[0], 0.17012, 5e-6);
  EXPECT_NEAR(warm[1], 0.08506, 5e-6);
  EXPECT_NEAR(warm[2], 0.05671, 5e-6);
}

TEST(LevelReplay, WeighsScoresInProportion) {
  // (0.2, 0.3)^2 = 0.04, 0.09: shares 4/13 and 9/13; with staleness_coef > 0 nothing is added.
  const auto p = probabilities(
      scored({0.2, 0.3},
             {.transform = Transform::kProportional, .temperature = 0.5, .staleness_coef = 1e-12}));
  EXPECT_NEAR(p[0], 4.0 / 13, 1e-9);
  EXPECT_NEAR(p[1], 9.0 / 13, 1e-9);
}

TEST(LevelReplay, DrawsByStalenessAloneWithStalenessCoefOne) {
  // Drawn at 1, 2, 3 seen by draw 4: stalenesses 3, 2, 1 of 6.
  const auto p = probabilities(scored({5, 5, 5}, {.staleness_coef = 1}));
  EXPECT_NEAR(p[0], 3.0 / 6, 1e-15);
  EXPECT_NEAR(p[1], 2.0 / 6, 1e-15);
  EXPECT_NEAR(p[2], 1.0 / 6, 1e-15);
}

TEST(LevelReplay, NeverRepeatsTheLastLevelWithStalenessOffsetZero) {
  const auto p = probabilities(scored({5, 5, 5}, {.staleness_coef = 1, .staleness_offset = 0}));
  EXPECT_NEAR(p[0], 2.0 / 3, 1e-15);
  EXPECT_NEAR(p[1], 1.0 / 3, 1e-15);
  EXPECT_EQ(p[2], 0);
}

TEST(LevelReplay, SplitsGreedyMassAmongTheBest) {
  const auto p =
      probabilities(scored({1, 3, 2, 3}, {.transform = Transform::kGreedy, .staleness_coef = 0}));
  EXPECT_EQ(p, (std::vector<double>{0, 0.5, 0, 0.5}));
}

TEST(LevelReplay, SpreadsEpsilonOverTheSeenLevels) {
  const auto p = probabilities(scored(
      {1, 3}, {.transform = Transform::kEpsilonGreedy, .staleness_coef = 0, .epsilon = 0.3}));
  EXPECT_NEAR(p[0], 0.15, 1e-15);
  EXPECT_NEAR(p[1], 0.85, 1e-15);
}

TEST(LevelReplay, SpreadsEpsilonOverAllLevelsLikeTheReleasedCode) {
  // D30: epsilon .3, 2 of 6 seen: (.05, .75) / .8.
  LevelReplay replay = replay_of(6, {.transform = Transform::kEpsilonGreedy,
                                     .staleness_coef = 0,
                                     .epsilon = 0.3,
                                     .unseen_compete = true});
  replay.choose(4);
  replay.choose(2);
  replay.record({.level = 4, .score = 1});
  replay.record({.level = 2, .score = 2});
  const auto p = probabilities(replay);
  EXPECT_NEAR(p[0], 0.0625, 1e-15);
  EXPECT_NEAR(p[1], 0.9375, 1e-15);
}

TEST(LevelReplay, RanksUnseenLevelsAheadOfNegativeScoresOnlyIfTheyCompete) {
  // Scores 1 and -1 of 4 levels: ranks 1 and 2, or 1 and 4 with the two unseen zeros in between.
  for (const bool compete : {false, true}) {
    LevelReplay replay =
        replay_of(4, {.temperature = 1, .staleness_coef = 0, .unseen_compete = compete});
    replay.choose(0);
    replay.choose(1);
    replay.record({.level = 0, .score = 1});
    replay.record({.level = 1, .score = -1});
    EXPECT_NEAR(probabilities(replay)[1], compete ? 0.25 / 1.25 : 0.5 / 1.5, 1e-15);
  }
}

TEST(LevelReplay, VisitsEveryLevelBeforeReplayingWithAFullWarmup) {
  LevelReplay replay = replay_of(50, {.warmup_fraction = 1});
  std::set<LevelId> played;
  for (int i = 0; i < 50; ++i) played.insert(replay.next());
  EXPECT_EQ(played.size(), 50U);
  EXPECT_EQ(replay.replay_probability(), 1);
}

TEST(LevelReplay, ReplaysWithTheFractionOfLevelsSeen) {
  LevelReplay replay = replay_of(4);
  EXPECT_EQ(replay.replay_probability(), 0);
  replay.choose(3);
  EXPECT_EQ(replay.replay_probability(), 0.25);
  replay.choose(1);
  EXPECT_EQ(replay.replay_probability(), 0.5);
}

TEST(LevelReplay, ReplaysWithItsReplayProbability) {
  // A fixed probability of 0.3 with two of very many levels seen.
  LevelReplay replay =
      replay_of(1'000'000, {.schedule = ReplaySchedule::kFixed, .replay_probability = 0.3});
  constexpr int kDraws = 100'000;
  std::set<LevelId> seen;
  int replays = 0;
  for (int i = 0; i < kDraws; ++i) replays += seen.insert(replay.next()).second ? 0 : 1;
  // Five standard deviations, sqrt(n * 0.3 * 0.7) = 145 each.
  EXPECT_NEAR(replays, 0.3 * kDraws, 5 * 145);
}

TEST(LevelReplay, GivesLevelsWithoutAScoreTheirStalenessOnly) {
  LevelReplay replay = replay_of(3, {.staleness_coef = 0.5});
  replay.choose(0);
  replay.choose(1);
  replay.record({.level = 0, .score = 0.1});
  // Stalenesses 2 and 1 of 3: 0.5 * 1 + 0.5 * 2/3, and 0.5 * 1/3.
  const auto p = probabilities(replay);
  EXPECT_NEAR(p[0], 0.5 + 1.0 / 3, 1e-15);
  EXPECT_NEAR(p[1], 1.0 / 6, 1e-15);
}

TEST(LevelReplay, SmoothsScores) {
  LevelReplay replay = replay_of(1, {.smoothing = 0.25});
  replay.choose(0);
  replay.record({.level = 0, .score = 4});  // 0.75 * 0 + 0.25 * 4
  EXPECT_EQ(replay.weights()[0].score, 1);
  replay.record({.level = 0, .score = 5});  // 0.75 * 1 + 0.25 * 5
  EXPECT_EQ(replay.weights()[0].score, 2);
}

TEST(LevelReplay, CountsALevelAsSeenOnItsScoreWithSeenOnScore) {
  LevelReplay replay = replay_of(5, {.seen_on = SeenOn::kScore});
  replay.choose(2);
  EXPECT_EQ(replay.num_seen(), 0U);
  replay.choose(3);
  replay.record({.level = 2, .score = 1});
  EXPECT_EQ(replay.num_seen(), 1U);
  EXPECT_EQ(replay.weights()[0].staleness, 2);  // drawn at 1, seen by draw 3
}

TEST(LevelReplay, StartsInSequenceWithoutCountingDraws) {
  LevelReplay replay = replay_of(3, {.start = {.first_levels = FirstLevels::kSequential}});
  EXPECT_EQ(replay.first(5), (std::vector<LevelId>{0, 1, 2, 0, 1}));
  EXPECT_EQ(replay.num_draws(), 0);
}

TEST(LevelReplay, StartsWithUnseenLevelsAsLongAsThereAreAny) {
  const auto distinct = [](const std::vector<LevelId>& levels, std::size_t count) {
    return std::set<LevelId>(levels.begin(), levels.begin() + static_cast<long>(count)).size();
  };
  LevelReplay many = replay_of(70, {});
  EXPECT_EQ(distinct(many.first(64), 64), 64U);
  EXPECT_EQ(many.num_draws(), 64);
  EXPECT_EQ(many.num_seen(), 64U);
  LevelReplay few = replay_of(5, {});
  const std::vector<LevelId> first = few.first(12);
  EXPECT_EQ(first.size(), 12U);
  EXPECT_EQ(distinct(first, 5), 5U);
  EXPECT_EQ(few.num_draws(), 12);
}

TEST(LevelReplay, MayReplayAnyLevelBeforeOneIsSeenLikeTheReleasedCode) {
  LevelReplay replay = replay_of(5, {.schedule = ReplaySchedule::kFixed,
                                     .replay_probability = 1,
                                     .replay_unseen = true,
                                     .seen_on = SeenOn::kScore});
  EXPECT_EQ(replay.replay_probability(), 1);
  std::set<LevelId> drawn;
  for (int i = 0; i < 200; ++i) drawn.insert(replay.next());
  EXPECT_EQ(drawn.size(), 5U);
}

// ---- streams
// -------------------------------------------------------------------------------------

LevelReplay stream_of(const LevelReplayConfig& config) {
  return {LevelSet::stream(0, 1ULL << 40), config, levels_stream()};
}

void play(LevelReplay& replay, LevelId level, double score) {
  replay.choose(level);
  replay.record({.level = level, .score = score});
}

TEST(LevelReplay, KeepsTheLevelsOfAStreamMostLikelyToBeReplayed) {
  LevelReplay replay = stream_of({.staleness_coef = 0, .buffer_size = 2});
  play(replay, 100, 0.5);
  play(replay, 200, 0.9);
  play(replay, 300, 0.5);  // not above 0.5: dropped
  EXPECT_EQ(replay.weights()[0].level, 100U);
  play(replay, 400, 0.6);  // replaces 100
  EXPECT_EQ(replay.weights()[0].level, 400U);
  EXPECT_EQ(replay.weights()[1].level, 200U);
}

TEST(LevelReplay, AdmitsAnEqualScoreToAFullBufferOnlyWithEvictOnTie) {
  LevelReplay replay = stream_of({.staleness_coef = 0, .buffer_size = 1, .evict_on_tie = true});
  play(replay, 1, 0.5);
  play(replay, 2, 0.5);
  EXPECT_EQ(replay.weights()[0].level, 2U);
}

TEST(LevelReplay, EvictsByScoreWithEvictionScore) {
  // By probability the level drawn last, 3, would be evicted: its staleness is the least.
  const LevelReplayConfig config{
      .temperature = 100, .staleness_coef = 1, .buffer_size = 3, .eviction = Eviction::kScore};
  LevelReplay replay = stream_of(config);
  play(replay, 1, 0.1);
  play(replay, 2, 0.5);
  play(replay, 3, 0.4);
  play(replay, 4, 0.6);
  EXPECT_EQ(replay.weights()[0].level, 4U);
}

TEST(LevelReplay, IgnoresTheScoreOfALevelDroppedWhileItWasPlayed) {
  LevelReplay replay = stream_of({.staleness_coef = 0, .buffer_size = 1});
  play(replay, 1, 0.5);
  replay.choose(1);
  play(replay, 2, 0.9);  // takes the only slot
  replay.record({.level = 1, .score = 7});
  ASSERT_EQ(replay.num_seen(), 1U);
  EXPECT_EQ(replay.weights()[0].level, 2U);
}

TEST(LevelReplay, DrawsUnknownLevelsOfAStream) {
  LevelReplay replay(LevelSet::stream(0, 8), {.replay_probability = 0, .buffer_size = 4},
                     levels_stream());
  std::set<LevelId> drawn;
  for (int i = 0; i < 8; ++i) {
    const LevelId level = replay.next();
    EXPECT_TRUE(drawn.insert(level).second) << level;
    if (i < 4) replay.record({.level = level, .score = 1});  // the others are still being played
  }
}

// ---- bad input
// -----------------------------------------------------------------------------------

TEST(LevelReplay, RefusesSettingsOutOfBoundsByName) {
  const auto message = [](const LevelReplayConfig& config) {
    return message_of<std::invalid_argument>([&] { replay_of(3, config); });
  };
  EXPECT_EQ(message({.temperature = 0}), "temperature must be above 0, not 0");
  EXPECT_EQ(message({.staleness_coef = 1.5}), "staleness_coef must be from 0 to 1, not 1.5");
  EXPECT_EQ(message({.epsilon = -0.1}), "epsilon must be from 0 to 1, not -0.1");
  EXPECT_EQ(message({.smoothing = 0}), "smoothing must be above 0 and at most 1, not 0");
  EXPECT_EQ(message({.temperature = std::nan("")}), "temperature must be above 0, not nan");
  EXPECT_EQ(message({.buffer_size = 0}), "buffer_size must be from 1 to 16777216, not 0");
  EXPECT_EQ(message_of<std::invalid_argument>(
                [] { LevelReplay(LevelSet::stream(0, 10), {.buffer_size = 6}, levels_stream()); }),
            "buffer_size must be at most half of the stream's 10 levels, not 6");
}

TEST(LevelReplay, RefusesImpossibleResults) {
  LevelReplay replay = replay_of(3);
  replay.choose(1);
  const std::vector<std::byte> before = replay.save();
  const double inf = std::numeric_limits<double>::infinity();
  const auto record = [&](LevelId level, double score, double episode_return) {
    replay.record({.level = level, .score = score, .episode_return = episode_return});
  };
  EXPECT_EQ(message_of<std::invalid_argument>([&] { record(1, std::nan(""), 0); }),
            "score of level 1 must be a finite number, not nan");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { record(1, inf, 0); }),
            "score of level 1 must be a finite number, not inf");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { record(1, 0, -inf); }),
            "episode_return of level 1 must be a finite number, not -inf");
  EXPECT_EQ(message_of<std::out_of_range>([&] { record(7, 0, 0); }),
            "level 7 is not in the set of 3 levels");
  EXPECT_EQ(message_of<std::out_of_range>([&] { record(2, 0, 0); }),
            "level 2 has not been drawn yet, so it cannot have been played");
  EXPECT_THROW(replay.choose(3), std::out_of_range);
  EXPECT_EQ(replay.save(), before);
}

// ---- copies
// --------------------------------------------------------------------------------------

TEST(LevelReplay, DrawsTheSameLevelsInACopy) {
  LevelReplay replay = replay_of(20);
  for (int i = 0; i < 50; ++i) {
    const LevelId level = replay.next();
    replay.record({.level = level, .score = static_cast<double>(level % 7)});
  }
  LevelReplay copy = replay;
  for (int i = 0; i < 50; ++i) EXPECT_EQ(copy.next(), replay.next());
}

TEST(LevelReplay, Takes64BitIds) {
  const LevelId huge = std::numeric_limits<LevelId>::max();
  LevelReplay replay(LevelSet::list({huge, 5, 1'000'000'000'000}), {}, levels_stream());
  std::set<LevelId> drawn;
  for (int i = 0; i < 100; ++i) {
    const LevelId level = replay.next();
    drawn.insert(level);
    replay.record({.level = level, .score = 1});
  }
  EXPECT_EQ(drawn, (std::set<LevelId>{5, 1'000'000'000'000, huge}));
}

// ---- the baseline
// --------------------------------------------------------------------------------

TEST(Uniform, DrawsEveryLevelEquallyOften) {
  Uniform uniform(LevelSet::list({10, 20, 30}), levels_stream());
  std::vector<int> counts(31, 0);
  for (int i = 0; i < 30'000; ++i) ++counts.at(uniform.next());
  // Five standard deviations, sqrt(n * 1/3 * 2/3) = 82 each.
  for (const LevelId level : {10, 20, 30}) EXPECT_NEAR(counts[level], 10'000, 5 * 82);
  EXPECT_NEAR(uniform.weights()[2].probability, 1.0 / 3, 1e-15);
}

TEST(Uniform, RefusesImpossibleResults) {
  Uniform uniform(LevelSet::range(0, 3), levels_stream());
  EXPECT_THROW(uniform.record({.level = 3}), std::out_of_range);
  EXPECT_THROW(uniform.record({.level = 1, .score = std::nan("")}), std::invalid_argument);
}

}  // namespace
}  // namespace plr
