#include "plr/bench/env_speed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "plr/catalog/make_env.h"
#include "plr/env/random_play.h"

namespace plr::bench {
namespace {

constexpr const char* kEnv = "minigrid/MiniGrid-Empty-5x5-v0";
constexpr LevelId kNumLevels = 10;

const VectorEnv* watched = nullptr;
double now = 0;
std::vector<LevelId> last_levels;  // the level of slot 0 at each reading of the clock

// Every reading takes a second, so that a measurement of at most a second is one batch.
double one_second_per_reading() {
  last_levels.push_back(watched->level(0).value());
  return now += 1;
}

TEST(EnvSpeed, IsComputedFromTheClock) {
  const auto env = catalog::make_env(kEnv, {.num_slots = 3, .num_workers = 1});
  watched = env.get();
  const EnvSpeed speed =
      measure_env(*env, {.num_levels = kNumLevels, .seconds = 1, .clock = one_second_per_reading});
  // 64 calls in each second.
  EXPECT_DOUBLE_EQ(speed.steps_per_second, 3 * 64);
  EXPECT_DOUBLE_EQ(speed.microseconds_per_start, 1e6 / 64);
  EXPECT_DOUBLE_EQ(speed.microseconds_per_start_again, 1e6 / 64);

  // The same 64 steps of warm-up and 64 measured ones.
  const auto again = catalog::make_env(kEnv, {.num_slots = 3, .num_workers = 1});
  RandomPlay play(*again, 1);
  for (int i = 0; i < 128; ++i) play.step();
  EXPECT_DOUBLE_EQ(speed.steps_per_episode, 3 * 128 / static_cast<double>(play.num_episodes()));
}

TEST(EnvSpeed, MeasuresStartsOfNewLevelsAndThenOfTheTrainingSet) {
  const auto env = catalog::make_env(kEnv, {.num_slots = 1, .num_workers = 1});
  watched = env.get();
  last_levels.clear();
  measure_env(*env, {.num_levels = kNumLevels, .seconds = 1, .clock = one_second_per_reading});
  // Two readings for each of: warm-up, steps, new levels, levels of the training set.
  ASSERT_EQ(last_levels.size(), 8);
  const LevelId played = last_levels[4];
  EXPECT_GT(last_levels[5], 1000 * (played + 1));
  // The training set was started twice before the first reading.
  EXPECT_EQ(last_levels[6], kNumLevels - 1);
  EXPECT_EQ(last_levels[7], (2 * kNumLevels + 63) % kNumLevels);
}

TEST(EnvSpeed, CountsAnUnfinishedEpisodeAsOne) {
  const auto env =
      catalog::make_env("minigrid/MiniGrid-Empty-16x16-v0", {.num_slots = 1, .num_workers = 1});
  watched = env.get();
  // 128 random steps do not reach the opposite corner, and the limit is 1024.
  const EnvSpeed speed = measure_env(*env, {.seconds = 1, .clock = one_second_per_reading});
  EXPECT_DOUBLE_EQ(speed.steps_per_episode, 128);
}

}  // namespace
}  // namespace plr::bench
