#include "plr/report/training_log.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace plr::report {
namespace {

RunData run_with_updates(std::size_t count) {
  RunData run;
  run.settings = {{"env", "procgen/bigfish"}, {"curriculum", "uniform"}, {"seed", "3"}};
  for (std::size_t i = 1; i <= count; ++i) {
    LogRecord& record = run.updates.emplace_back();
    record.steps = static_cast<std::int64_t>(100 * i);
    record.entropy = static_cast<double>(i);
  }
  return run;
}

std::string csv_of(const RunData& run) {
  const std::vector<RunData> runs = {run};
  return training_csv(runs, analyze(runs));
}

TEST(TrainingLog, HasOneRowPerUpdateOfAShortRun) {
  RunData run = run_with_updates(2);
  run.updates[0].episode_return = 0.25;
  run.updates[0].return_deviation = 1.5;
  EXPECT_EQ(csv_of(run),
            "env,method,seed,steps,return,length,value_loss,entropy,clip_fraction,approx_kl,"
            "explained_variance,return_deviation,advantage_deviation,augmentation\n"
            "procgen/bigfish,\"uniform\",3,100,0.25,,,1,,,,1.5,,\n"
            "procgen/bigfish,\"uniform\",3,200,,,,2,,,,,,\n");
}

TEST(TrainingLog, AveragesConsecutiveUpdatesOfALongRun) {
  // 401 updates: three per row, 134 rows; the first is the mean of 1, 2 and 3.
  const std::string csv = csv_of(run_with_updates(401));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 134);
  EXPECT_NE(csv.find("\n"
                     "procgen/bigfish,\"uniform\",3,300,,,,2,,,,,,\n"),
            std::string::npos);
  EXPECT_TRUE(csv.ends_with(",3,40100,,,,400.5,,,,,,\n")) << csv.substr(csv.size() - 60);
}

TEST(TrainingLog, CountsTheAugmentationsOfARow) {
  RunData run = run_with_updates(400);
  run.updates[0].augmentation = "flip";
  run.updates[1].augmentation = "crop";
  run.updates[2].augmentation = "crop";
  run.updates[3].augmentation = "crop";
  const std::string csv = csv_of(run);
  EXPECT_NE(csv.find(",3,200,,,,1.5,,,,,,crop:1 flip:1\n"), std::string::npos);
  EXPECT_NE(csv.find(",3,400,,,,3.5,,,,,,crop:2\n"), std::string::npos);
}

}  // namespace
}  // namespace plr::report
