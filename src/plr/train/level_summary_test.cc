#include "plr/train/level_summary.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plr/catalog/make_env.h"
#include "plr/run/record_files.h"

namespace plr::train {
namespace {

LevelWeight weight(LevelId level, double probability) {
  return {
      .level = level, .is_scored = true, .score = 0.5, .staleness = 3, .probability = probability};
}

std::string table(const VectorEnv& env, const std::vector<LevelWeight>& weights) {
  return run::level_table_to_csv(LevelSummary(env, LevelStore()).table(weights));
}

TEST(LevelSummary, ListsTheMostProbableLevelsFirst) {
  const auto env = catalog::make_env("minigrid/MiniGrid-Empty-5x5-v0", {.num_slots = 1});
  EXPECT_EQ(table(*env, {weight(4, 0.25), weight(9, 0.5), weight(2, 0.25)}),
            "level,probability,score,staleness,difficulty,data\n"
            "9,0.5,0.5,3,,\n"
            "2,0.25,0.5,3,,\n"
            "4,0.25,0.5,3,,\n");
}

TEST(LevelSummary, HasDifficultiesWhereLevelsHaveThem) {
  const auto env = catalog::make_env("minigrid/ObstructedMazeGamut-Easy", {.num_slots = 1});
  // A level's difficulty there is its number modulo 3.
  EXPECT_EQ(table(*env, {weight(5, 1)}),
            "level,probability,score,staleness,difficulty,data\n5,1,0.5,3,2,\n");
}

TEST(LevelSummary, SubsamplesManyLevelsAndKeepsTheFirstAndTheLast) {
  const auto env = catalog::make_env("minigrid/MiniGrid-Empty-5x5-v0", {.num_slots = 1});
  std::vector<LevelWeight> weights;
  for (LevelId level = 0; level < 25'000; ++level) weights.push_back(weight(level, 1e-5));
  const std::vector<run::LevelRow> rows = LevelSummary(*env, LevelStore()).table(weights);
  ASSERT_EQ(rows.size(), 10'000U);
  EXPECT_EQ(rows.front().level, 0U);
  EXPECT_EQ(rows.back().level, 24'999U);
  EXPECT_TRUE(LevelSummary(*env, LevelStore()).table({}).empty());
}

TEST(LevelSummary, SumsProbabilitiesByDifficultyAndNamesTheLeadingLevels) {
  const auto env = catalog::make_env("minigrid/ObstructedMazeGamut-Easy", {.num_slots = 1});
  const run::LevelsRecord record =
      LevelSummary(*env, LevelStore())
          .record(2, 100, {weight(3, 0.25), weight(5, 0.5), weight(6, 0.25)});
  EXPECT_EQ(record.levels, 3U);
  EXPECT_EQ(record.by_difficulty, (std::vector<double>{0.5, 0, 0.5}));
  EXPECT_EQ(record.expected_difficulty, 1);
  EXPECT_DOUBLE_EQ(record.effective_levels, 1 / 0.375);  // 1/4 + 1/16 + 1/16
  ASSERT_EQ(record.leading.size(), 3U);
  EXPECT_EQ(record.leading[0].level, 5U);
  EXPECT_EQ(record.leading[1].level, 3U);  // the lower id of equal probabilities
}

}  // namespace
}  // namespace plr::train
