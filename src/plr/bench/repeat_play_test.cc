#include "plr/bench/repeat_play.h"

#include <gtest/gtest.h>

#include "plr/catalog/make_env.h"

namespace plr::bench {
namespace {

TEST(RepeatPlay, RestartsTheLevelOfEachSlotWhenItEnds) {
  const auto env = catalog::make_env("minigrid/MiniGrid-Empty-5x5-v0", {.num_slots = 3});
  RepeatPlay play(*env);
  int num_starts = 3;
  constexpr int kNumSteps = 300;  // three times the limit of an episode
  for (int step = 0; step < kNumSteps; ++step) {
    EXPECT_EQ(play.step(), 3);
    for (int slot = 0; slot < 3; ++slot) {
      EXPECT_TRUE(env->is_running(slot));
      EXPECT_EQ(env->level(slot), static_cast<LevelId>(slot));
      num_starts += play.batch().ended(slot) ? 1 : 0;
    }
  }
  EXPECT_GE(num_starts, 3 + 3 * 3);
  EXPECT_DOUBLE_EQ(play.starts_per_step(), num_starts / (3.0 * kNumSteps));
}

TEST(RepeatPlay, MeasuresTheTimeOfStarts) {
  const auto env = catalog::make_env("minigrid/MiniGrid-Empty-5x5-v0", {.num_slots = 3});
  RepeatPlay play(*env);
  EXPECT_GT(play.seconds_per_start(), 0);
}

}  // namespace
}  // namespace plr::bench
