// The levels are solvable within their step limit, apart from known exceptions.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "plr/minigrid/picture.h"
#include "plr/minigrid/solver_testing.h"
#include "plr/minigrid/tasks.h"

namespace plr::minigrid {
namespace {

constexpr std::uint64_t kSeeds = 10'000;

// The number of unsolvable levels by difficulty.  Fails for a level that is neither solved within
// its step limit nor proved unsolvable.
std::map<int, int> unsolvable_levels(const Task& task, std::uint64_t num_seeds = kSeeds) {
  std::map<int, int> unsolvable;
  for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
    const Level level = make_level(task, seed);
    if (!reachable_through_objects(level)) {
      ++unsolvable[level.difficulty.value_or(0)];
    } else {
      EXPECT_TRUE(solution(level).has_value()) << task.name << " seed " << seed << "\n"
                                               << draw(level.start);
    }
  }
  return unsolvable;
}

const std::map<int, int> kNone;

TEST(Solvable, EveryMultiRoomLevelIsSolvedWithinItsStepLimit) {
  const Task& paper = find_task("MultiRoom-N4-Random");
  EXPECT_EQ(unsolvable_levels(paper), kNone);
  EXPECT_EQ(unsolvable_levels(with_seeding(paper, Seeding::kPcg64)), kNone);
  for (const Task& task : tasks()) {
    if (!task.name.starts_with("MiniGrid-MultiRoom")) continue;
    EXPECT_EQ(unsolvable_levels(task), kNone) << task.name;
  }
}

// In these mazes a ball can replace the box with the key to the only way, with a probability of
// 1/24 in 2Dlhb (difficulty 5) and 1Q (6) and 1/48 in 2Q (7).  The counts hold for these seeds.
TEST(Solvable, AllGamutLevelsButTheKnownExceptionsAreSolvedWithinTheirStepLimit) {
  const Task& easy = find_task("ObstructedMazeGamut-Easy");
  const Task& medium = find_task("ObstructedMazeGamut-Medium");
  const Task& hard = find_task("ObstructedMazeGamut-Hard");
  EXPECT_EQ(unsolvable_levels(easy), kNone);
  EXPECT_EQ(unsolvable_levels(medium), (std::map<int, int>{{5, 69}}));
  EXPECT_EQ(unsolvable_levels(hard), (std::map<int, int>{{5, 18}, {6, 62}, {7, 24}}));
  EXPECT_EQ(unsolvable_levels(with_seeding(hard, Seeding::kPcg64)),
            (std::map<int, int>{{5, 62}, {6, 40}, {7, 22}}));
}

TEST(Solvable, LevelsOfOtherTasksAreSolvedWithinTheirStepLimit) {
  for (const std::string_view family :
       {"Empty", "FourRooms", "DistShift", "LavaGap", "LavaCrossing", "SimpleCrossing", "DoorKey",
        "KeyCorridor", "LockedRoom", "UnlockPickup", "BlockedUnlockPickup"}) {
    int num_tasks = 0;
    for (const Task& task : tasks()) {
      if (!task.name.starts_with(std::string("MiniGrid-").append(family))) continue;
      ++num_tasks;
      EXPECT_EQ(unsolvable_levels(task, 500), kNone) << task.name;
    }
    EXPECT_GT(num_tasks, 0) << family;
  }
}

// The mean return of the solver: about the best that an agent can reach.
TEST(Solvable, MeanReturnOfTheSolverInMultiRoomIs087) {
  const Task task = with_seeding(find_task("MultiRoom-N4-Random"), Seeding::kPcg64);
  double sum = 0;
  constexpr int kLevels = 600;
  for (int i = 0; i < kLevels; ++i) {
    const Level level = make_level(task, 100'000 + static_cast<std::uint64_t>(i));
    sum += 1 - 0.9 * static_cast<double>(solution(level)->size()) / level.max_steps;
  }
  // The mean of an independent solver over the same levels, to three digits.
  EXPECT_NEAR(sum / kLevels, 0.870, 0.001);
}

TEST(Solver, OpensALockedDoorOnlyWithTheMatchingKey) {
  const Level fits = parse_level(
      "######\n"
      "#>yYG#\n"
      "######\n");
  EXPECT_TRUE(reachable_through_objects(fits));
  // Pick up, forward, toggle, forward, forward.
  EXPECT_EQ(solution(fits).value().size(), 5U);
  const Level does_not = parse_level(
      "######\n"
      "#>yRG#\n"
      "######\n");
  EXPECT_FALSE(reachable_through_objects(does_not));
  EXPECT_FALSE(solution(does_not).has_value());
}

}  // namespace
}  // namespace plr::minigrid
