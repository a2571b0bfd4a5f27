#include "plr/train/level_record.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plr/catalog/make_env.h"

namespace plr::train {
namespace {

LevelWeight weight(LevelId level, double probability) {
  return {
      .level = level, .is_scored = true, .score = 0.5, .staleness = 3, .probability = probability};
}

TEST(LevelRecord, ListsTheMostProbableLevelsFirst) {
  const auto env = catalog::make_env("minigrid/MiniGrid-Empty-5x5-v0", {.num_slots = 1});
  EXPECT_EQ(LevelRecord(*env).table({weight(4, 0.25), weight(9, 0.5), weight(2, 0.25)}),
            "level,probability,score,staleness,difficulty\n"
            "9,0.5,0.5,3,\n"
            "2,0.25,0.5,3,\n"
            "4,0.25,0.5,3,\n");
}

TEST(LevelRecord, TellsDifficultiesWhereLevelsHaveThem) {
  const auto env = catalog::make_env("minigrid/ObstructedMazeGamut-Easy", {.num_slots = 1});
  // A level's difficulty there is its number modulo 3.
  EXPECT_EQ(LevelRecord(*env).table({weight(5, 1)}),
            "level,probability,score,staleness,difficulty\n5,1,0.5,3,2\n");
}

TEST(LevelRecord, OfVeryManyLevelsHasTheFirstTheLastAndSomeBetween) {
  const auto env = catalog::make_env("minigrid/MiniGrid-Empty-5x5-v0", {.num_slots = 1});
  std::vector<LevelWeight> weights;
  for (LevelId level = 0; level < 25'000; ++level) weights.push_back(weight(level, 1e-5));
  const std::string table = LevelRecord(*env).table(weights);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 10'001);
  EXPECT_NE(table.find("\n0,"), std::string::npos);
  EXPECT_NE(table.find("\n24999,"), std::string::npos);
  EXPECT_EQ(LevelRecord(*env).table({}), "level,probability,score,staleness,difficulty\n");
}

}  // namespace
}  // namespace plr::train
