#include "plr/core/sfl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace plr {
namespace {

const LevelSet kLevels = LevelSet::stream(0, 1ULL << 40);

SflConfig small() { return {.interval = 3, .num_surveyed = 20, .num_kept = 4}; }

Sfl make(std::uint64_t seed = 1) { return {kLevels, small(), Streams(seed).named("levels")}; }

// Success rates 0, 1/20, 2/20, ...: the middle ones are the most learnable.
std::vector<double> rates(std::size_t count) {
  std::vector<double> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<double>(i) / 20;
  return all;
}

void play_rollout(Sfl& sfl) {
  const std::vector<LevelId> levels = sfl.levels_to_survey();
  if (!levels.empty()) sfl.record_survey(rates(levels.size()));
  sfl.plan(6);
  sfl.record(std::vector<RolloutResult>(6));
}

TEST(Sfl, SurveysBeforeTheFirstRolloutAndAtIntervals) {
  Sfl sfl = make();
  std::set<LevelId> surveyed;
  for (int rollout = 0; rollout < 10; ++rollout) {
    const std::vector<LevelId> levels = sfl.levels_to_survey();
    EXPECT_EQ(levels.size(), rollout % 3 == 0 ? 20 : 0);
    surveyed.insert(levels.begin(), levels.end());
    if (!levels.empty()) sfl.record_survey(rates(levels.size()));
    sfl.plan(6);
    sfl.record(std::vector<RolloutResult>(6));
  }
  EXPECT_EQ(surveyed.size(), 80);  // new levels each time
}

TEST(Sfl, AskingForTheSurveyChangesNothing) {
  const Sfl sfl = make();
  const std::vector<std::byte> state = sfl.save();
  EXPECT_EQ(sfl.levels_to_survey(), sfl.levels_to_survey());
  EXPECT_EQ(sfl.save(), state);
}

TEST(Sfl, KeepsTheLevelsOfHighestLearnability) {
  Sfl sfl = make();
  const std::vector<LevelId> levels = sfl.levels_to_survey();
  sfl.record_survey(rates(levels.size()));
  // 0.5 first; then the pairs of equal p (1 - p), the level surveyed first before the other.
  EXPECT_EQ(sfl.levels_in_use(),
            (std::vector<LevelId>{levels[10], levels[9], levels[11], levels[8]}));
  EXPECT_DOUBLE_EQ(sfl.weights()[0].score, 0.25);
  EXPECT_DOUBLE_EQ(sfl.weights()[0].probability, 0.25);
}

TEST(Sfl, HalfOfTheSlotsPlayKeptLevels) {
  Sfl sfl = make();
  sfl.record_survey(rates(sfl.levels_to_survey().size()));
  const std::vector<LevelId> kept = sfl.levels_in_use();
  std::set<LevelId> played;
  for (int rollout = 0; rollout < 50; ++rollout) {
    const RolloutPlan& plan = sfl.plan(6);
    EXPECT_TRUE(plan.learn);
    ASSERT_EQ(plan.levels.size(), 6);
    for (std::size_t slot = 0; slot < 6; ++slot) {
      const bool is_kept = std::ranges::find(kept, plan.levels[slot]) != kept.end();
      EXPECT_EQ(is_kept, slot >= 3);
      if (is_kept) played.insert(plan.levels[slot]);
    }
  }
  EXPECT_EQ(played.size(), kept.size());
}

TEST(Sfl, LoadedStateContinuesIdentically) {
  for (int rollouts = 0; rollouts < 8; ++rollouts) {
    Sfl sfl = make();
    for (int i = 0; i < rollouts; ++i) play_rollout(sfl);
    Sfl copy = make(2);
    copy.load(sfl.save());
    for (int i = 0; i < 8; ++i) {
      play_rollout(sfl);
      play_rollout(copy);
      ASSERT_EQ(copy.save(), sfl.save());
    }
  }
}

TEST(Sfl, RefusesDamagedStates) {
  Sfl sfl = make();
  play_rollout(sfl);
  const std::vector<std::byte> bytes = sfl.save();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::vector<std::byte> damaged = bytes;
    damaged[i] ^= std::byte{1};
    EXPECT_THROW(sfl.load(damaged), std::runtime_error);
  }
  EXPECT_EQ(sfl.save(), bytes);
}

TEST(Sfl, RefusesToKeepMoreLevelsThanItSurveys) {
  const Random random = Streams(1).named("levels");
  EXPECT_THROW(Sfl(kLevels, {.num_surveyed = 10, .num_kept = 11}, random), std::invalid_argument);
}

TEST(Sfl, RefusesAPlanBeforeTheFirstSurvey) {
  Sfl sfl = make();
  EXPECT_THROW(sfl.plan(4), std::logic_error);
}

TEST(Sfl, RefusesRatesThatAreNone) {
  Sfl sfl = make();
  std::vector<double> wrong_rates(sfl.levels_to_survey().size(), 0.5);
  for (const double wrong : {2.0, -0.1, std::nan("")}) {
    wrong_rates[1] = wrong;
    EXPECT_THROW(sfl.record_survey(wrong_rates), std::invalid_argument) << wrong;
  }
}

TEST(Sfl, RefusesAnotherNumberOfResults) {
  Sfl sfl = make();
  sfl.levels_to_survey();
  EXPECT_THROW(sfl.record_survey(rates(3)), std::invalid_argument);
}

}  // namespace
}  // namespace plr
