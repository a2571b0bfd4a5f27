// The environment plays MiniGrid.  catalog/conformance_test.cc tests that it conforms.
#include "plr/minigrid/minigrid_env.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "plr/base/random.h"
#include "plr/env/random_play.h"
#include "plr/minigrid/observe.h"
#include "plr/minigrid/step.h"

namespace plr::minigrid {
namespace {

// Plays random actions in a slot between others and in the engine, and compares the outputs.
void expect_to_play_as_the_engine(const Task& task, Observation observation) {
  MiniGridEnv env(task, {.num_slots = 3, .observation = observation});
  StepBuffers buffers(env.spec());
  const StepBatch batch = buffers.batch();
  const std::vector<Start> starts = {{0, 5}, {1, 1234567890123}, {2, 6}};
  env.start(starts, batch);
  const Level level = make_level(task, 1234567890123);
  EXPECT_EQ(env.mission(1), level.mission.text());

  State state = level.start;
  std::vector<std::uint8_t> image(env.spec().observation_size());
  const auto expect_equal_observations = [&] {
    observation == Observation::kFull ? observe_full(state, image)
                                      : observe_view(level, state, image);
    ASSERT_TRUE(std::ranges::equal(image, batch.observations.subspan(image.size(), image.size())));
  };
  expect_equal_observations();
  Random random = Streams(1).named("test");
  while (env.is_running(1)) {
    const auto action = static_cast<plr::Action>(random.below(env.spec().actions.num_choices()));
    env.step({1, 2}, {&action, 1}, batch);
    const StepResult result = minigrid::step(level, state, static_cast<Action>(action));
    ASSERT_EQ(batch.rewards[1], result.reward);
    ASSERT_EQ(batch.terminated[1] != 0, result.terminated);
    ASSERT_EQ(batch.truncated[1] != 0, result.truncated);
    expect_equal_observations();
  }
}

TEST(MiniGridEnv, PlaysEveryTaskLikeTheEngine) {
  for (const Task& task : tasks()) {
    SCOPED_TRACE(task.name);
    expect_to_play_as_the_engine(task, Observation::kFull);
    expect_to_play_as_the_engine(task, Observation::kView);
  }
}

TEST(MiniGridEnv, ALevelIsSolvedIfItsLastActionWasRewarded) {
  MiniGridEnv env(find_task("MiniGrid-Empty-5x5-v0"), {.num_slots = 16});
  RandomPlay play(env, 1);
  int num_solved = 0;
  int num_lost = 0;
  for (int i = 0; i < 400; ++i) {
    play.step();
    for (int slot = 0; slot < 16; ++slot) {
      if (!play.batch().ended(slot)) continue;
      EXPECT_EQ(env.has_solved(slot), play.batch().rewards[static_cast<std::size_t>(slot)] > 0);
      env.has_solved(slot) ? ++num_solved : ++num_lost;
    }
  }
  EXPECT_GT(num_solved, 0);
  EXPECT_GT(num_lost, 0);
  EXPECT_THROW(env.has_solved(16), std::out_of_range);
}

TEST(MiniGridEnv, ManySlotsHaveSeveralWorkersThatChangeNothing) {
  const Task& task = find_task("MiniGrid-DoorKey-6x6-v0");
  const auto workers_of = [&](int num_slots, int num_workers) {
    return MiniGridEnv(task, {.num_slots = num_slots, .num_workers = num_workers})
        .workers()
        .num_workers();
  };
  EXPECT_EQ(workers_of(64, 8), 1);
  EXPECT_EQ(workers_of(256, 8), 2);
  EXPECT_EQ(workers_of(1024, 5), 5);

  MiniGridEnv one(task, {.num_slots = 512, .num_workers = 1});
  MiniGridEnv four(task, {.num_slots = 512, .num_workers = 4});
  RandomPlay expected(one, 1);
  RandomPlay play(four, 1);
  for (int step = 0; step < 400; ++step) {
    expected.step();
    play.step();
  }
  EXPECT_GE(play.num_episodes(), 512);  // levels were started, too
  EXPECT_TRUE(std::ranges::equal(expected.batch().observations, play.batch().observations));
  EXPECT_TRUE(std::ranges::equal(expected.batch().rewards, play.batch().rewards));
}

}  // namespace
}  // namespace plr::minigrid
