#include "plr/report/level_timeline.h"

#include <gtest/gtest.h>

namespace plr::report {
namespace {

RunData run_of(const std::string& env) {
  RunData run;
  run.settings = {{"env", env}, {"curriculum", "plr"}, {"seed", "1"}, {"steps", "300"}};
  return run;
}

void add_record(RunData& run, std::vector<run::LeadingLevel> leading) {
  const auto update = static_cast<std::int64_t>(run.curriculum.size() + 1);
  run.curriculum.push_back(
      {.update = update, .steps = 100 * update, .leading = std::move(leading)});
}

TEST(LevelTimeline, ListsLevelsInTheOrderInWhichTheyBecomeProbable) {
  RunData run = run_of("minigrid/MiniGrid-DoorKey-6x6-v0");
  add_record(run, {{.level = 9, .probability = 0.6}, {.level = 4, .probability = 0.1}});
  add_record(run, {{.level = 4, .probability = 0.5}, {.level = 7, .probability = 0.2}});
  const LevelTimeline timeline = level_timeline(run, 100);
  EXPECT_EQ(timeline.steps, (std::vector<double>{100, 200}));
  EXPECT_EQ(timeline.levels, (std::vector<std::string>{"level 9", "level 4", "level 7"}));
  ASSERT_EQ(timeline.cells[1].size(), 2U);
  EXPECT_EQ(timeline.cells[1][0].level, 1U);
  EXPECT_EQ(timeline.cells[1][0].probability, 0.5);
  EXPECT_EQ(timeline.cells[1][1].level, 2U);
  EXPECT_TRUE(timeline.solutions.empty());  // MiniGrid has no solver
}

TEST(LevelTimeline, IsSubsampledWithItsFirstAndLastRecord) {
  RunData run = run_of("minigrid/MiniGrid-DoorKey-6x6-v0");
  for (std::uint64_t i = 0; i < 50; ++i) add_record(run, {{.level = i, .probability = 1}});
  const LevelTimeline timeline = level_timeline(run, 10);
  EXPECT_EQ(timeline.steps.size(), 10U);
  EXPECT_EQ(timeline.steps.front(), 100);
  EXPECT_EQ(timeline.steps.back(), 5000);
}

TEST(LevelTimeline, HasTheWeightedShortestSolutionsOfMazes) {
  RunData run = run_of("maze/random-60");
  add_record(run, {{.level = 3, .probability = 0.75}});
  add_record(run, {{.level = 5, .probability = 0.25}});
  add_record(run, {{.level = 3, .probability = 0.6}, {.level = 5, .probability = 0.2}});
  const std::vector<double> solutions = level_timeline(run, 100).solutions;
  ASSERT_EQ(solutions.size(), 3U);
  EXPECT_NE(solutions[0], solutions[1]);
  EXPECT_NEAR(solutions[2], 0.75 * solutions[0] + 0.25 * solutions[1], 1e-12);
}

TEST(LevelTimeline, HasNoSolutionsIfTheDataOfALevelAreDamaged) {
  RunData run = run_of("maze/random-60");
  add_record(run, {{.level = std::uint64_t{1} << 63, .probability = 1, .data = "xyz"}});
  const LevelTimeline timeline = level_timeline(run, 100);
  EXPECT_EQ(timeline.levels, (std::vector<std::string>{"edited level 8000000000000000"}));
  EXPECT_TRUE(timeline.solutions.empty());
}

TEST(LevelTimeline, IsEmptyWithoutRecords) {
  EXPECT_TRUE(level_timeline(run_of("minigrid/MiniGrid-DoorKey-6x6-v0"), 10).steps.empty());
}

}  // namespace
}  // namespace plr::report
