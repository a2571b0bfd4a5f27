#include "plr/bench/train_speed.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/temporary_directory.h"

namespace plr::bench {
namespace {

TEST(TrainSpeed, IsTheDifferenceOfTwoTimes) {
  const train::TrainTimes begin = {
      .acting = 1, .environment = 2, .sampler = 3, .update = 4, .total = 20};
  const train::TrainTimes end = {
      .acting = 2, .environment = 4, .sampler = 3.5, .update = 5, .total = 28};
  const TrainSpeed speed = speed_between(begin, end, 4000);
  EXPECT_EQ(speed.steps, 4000);
  EXPECT_DOUBLE_EQ(speed.steps_per_second, 500);  // in 8 s
  EXPECT_DOUBLE_EQ(speed.acting, 1 / 8.0);
  EXPECT_DOUBLE_EQ(speed.environment, 2 / 8.0);
  EXPECT_DOUBLE_EQ(speed.sampler, 0.5 / 8);
  EXPECT_DOUBLE_EQ(speed.update, 1 / 8.0);
  EXPECT_DOUBLE_EQ(speed.rest, 3.5 / 8);
}

// A run of 4 slots and 8 steps per update, in a folder of temporary files that is empty before.
class MeasureTraining : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TMPDIR", folder_.path().c_str(), 1);
    config_.env.num_slots = 4;
    config_.schedule.rollout_length = 8;
    config_.compute.device = "cpu";
    config_.compute.num_threads = 1;
  }

  TemporaryDirectory folder_;
  train::TrainConfig config_ = train::preset("small");
};

TEST_F(MeasureTraining, CountsTheStepsAfterTheWarmUp) {
  const TrainSpeed speed = measure_training(2, config_);
  EXPECT_EQ(speed.steps, 2 * 4 * 8);
  EXPECT_EQ(config_.schedule.steps, 3 * 4 * 8);
  EXPECT_GT(speed.steps_per_second, 0);
  EXPECT_GT(speed.update, 0);
  EXPECT_LT(speed.update, 1);
}

TEST_F(MeasureTraining, ReturnsTheSettingsOfThisMachine) {
  measure_training(1, config_);
  EXPECT_EQ(config_.compute.precision, learn::Precision::kFp32);  // was auto
}

TEST_F(MeasureTraining, LeavesNoFiles) {
  measure_training(1, config_);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  config_.task.levels = "none";
  EXPECT_THROW(measure_training(1, config_), std::invalid_argument);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace plr::bench
