#include "plr/maze/level_tools.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "plr/maze/edit.h"

namespace plr::maze {
namespace {

Random stream() { return Streams(1).named("edits"); }

class MazeLevelTools : public testing::Test {
 protected:
  LevelTools tools(const MazeOptions& options = {}) { return level_tools(task, options, store); }
  Level level(LevelId id) const { return find_level(task, store.get(), id); }

  Task task = *find_task("random-25");
  std::shared_ptr<LevelStore> store = std::make_shared<LevelStore>();
};

TEST_F(MazeLevelTools, ChildrenOfSeedsAndOfStoredLevelsAreInTheStore) {
  const LevelTools t = tools();
  Random random = stream();
  LevelId parent = 7;
  for (int generation = 0; generation < 20; ++generation) {
    Random repeated = random;
    const LevelId child = t.edit(parent, 5, random);
    EXPECT_EQ(level(child), with_random_edits(level(parent), 5, repeated));
    if (child != parent) {
      EXPECT_TRUE(is_stored(child));
    }
    parent = child;
  }
  EXPECT_GT(store->size(), 10);
}

TEST_F(MazeLevelTools, AChildThatEqualsItsParentHasItsId) {
  const LevelTools t = tools();
  Random random = stream();
  EXPECT_EQ(t.edit(7, 0, random), 7);
  EXPECT_EQ(store->size(), 0);
}

TEST_F(MazeLevelTools, TilesWithoutAgentMoveTheAgentOnlyOffItsOwnCell) {
  const LevelTools t = tools({.edits = MazeEdits::kTilesWithoutAgent});
  Random random = stream();
  const Level parent = level(7);
  int num_moved_agents = 0;
  int num_moved_goals = 0;
  for (int i = 0; i < 500; ++i) {
    const Level child = level(t.edit(7, 5, random));
    num_moved_agents += child.agent != parent.agent ? 1 : 0;
    num_moved_goals += child.goal != parent.goal ? 1 : 0;
  }
  // The agent moves if its cell is drawn, with probability 5/169; the goal also if the tile is.
  EXPECT_NEAR(num_moved_agents, 500 * 5.0 / 169, 15);
  EXPECT_GT(num_moved_goals, 300);
}

TEST_F(MazeLevelTools, OptimalReturnIsThatOfTheShortestSolution) {
  task = *find_task("Labyrinth");
  EXPECT_FLOAT_EQ(static_cast<float>(tools().optimal_return(0)), 0.5932F);
  // Longer than an episode.
  EXPECT_EQ(tools({.max_steps = 112}).optimal_return(0), 0);
}

TEST(MazeTasks, RandomWithARangeDrawsTheNumberOfWalls) {
  const Task task = *find_task("random-0-59");
  const Task same = *find_task("random-25-25");
  const Task fixed = *find_task("random-25");
  std::set<int> counts;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    counts.insert(make_level(task, seed).walls.count());
    EXPECT_EQ(make_level(same, seed), make_level(fixed, seed));
  }
  EXPECT_EQ(*counts.begin(), 0);
  EXPECT_GT(*counts.rbegin(), 45);
  EXPECT_LE(*counts.rbegin(), 59);
  EXPECT_GT(counts.size(), 45);
}

}  // namespace
}  // namespace plr::maze
