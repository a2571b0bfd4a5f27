#include "plr/report/difficulty.h"

#include <gtest/gtest.h>

namespace plr::report {
namespace {

RunData make_run(const std::string& curriculum, std::vector<LevelsRecord> records) {
  RunData run;
  run.settings = {{"env", "minigrid/MultiRoom-N4-Random"}, {"curriculum", curriculum}};
  run.curriculum = std::move(records);
  return run;
}

LevelsRecord record(std::int64_t update, std::vector<double> shares) {
  LevelsRecord record;
  record.update = update;
  record.by_difficulty = std::move(shares);
  return record;
}

TEST(Difficulty, AveragesRunsAtTheUpdatesThatAllRecorded) {
  const std::vector<RunData> runs = {
      make_run("plr",
               {record(10, {0, 1}), record(15, {1, 0}), record(20, {1, 0}), record(30, {1, 0})}),
      make_run("plr", {record(10, {0.5, 0.5}), record(20, {0, 1})}),
      make_run("uniform", {record(10, {0.25, 0.75})}), make_run("tscl", {})};
  const std::vector<DifficultyCurves> all = difficulty_curves(runs, analyze(runs));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].label, "uniform");
  EXPECT_EQ(all[1].label, "plr");
  EXPECT_EQ(all[1].num_runs, 2U);
  EXPECT_EQ(all[1].updates, (std::vector<double>{10, 20}));
  EXPECT_EQ(all[1].shares, (std::vector<std::vector<double>>{{0.25, 0.5}, {0.75, 0.5}}));
  EXPECT_EQ(difficulty_csv(std::span(runs).last(2), analyze(std::span(runs).last(2))),
            "env,method,seed,update,probabilities\n"
            "minigrid/MultiRoom-N4-Random,\"uniform\",,10,0.2500 0.7500\n");
  const Chart chart = difficulty_chart(all[1]);
  EXPECT_EQ(chart.title, "MultiRoom-N4-Random, plr");
  EXPECT_EQ(chart.lines.at(1).name, "degree 2");
}

TEST(Difficulty, LeavesOutRunsWithoutDegrees) {
  const std::vector<RunData> runs = {make_run("plr", {record(10, {})})};
  EXPECT_TRUE(difficulty_curves(runs, analyze(runs)).empty());
}

TEST(Difficulty, LeavesOutRunsInWhichNoLevelHasAProbability) {
  const std::vector<RunData> runs = {make_run("uniform", {record(10, {0, 0}), record(20, {0, 0})}),
                                     make_run("plr", {record(10, {0, 0}), record(20, {1, 0})})};
  const std::vector<DifficultyCurves> all = difficulty_curves(runs, analyze(runs));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].label, "plr");
}

TEST(Difficulty, MovingMeanUsesFewerValuesAtTheEnds) {
  const std::vector<double> values = {1, 2, 3, 6};
  EXPECT_EQ(moving_mean(values, 1), values);
  EXPECT_EQ(moving_mean(values, 3), (std::vector<double>{1.5, 2, 11.0 / 3, 4.5}));
  EXPECT_EQ(moving_mean(values, 9), (std::vector<double>{3, 3, 3, 3}));
}

}  // namespace
}  // namespace plr::report
