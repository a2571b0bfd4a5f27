#include "plr/minigrid/known_levels.h"

#include <gtest/gtest.h>

#include "plr/base/random.h"

namespace plr::minigrid {
namespace {

void expect_equal(const Level& a, const Level& b) {
  EXPECT_EQ(a.start, b.start);
  EXPECT_EQ(a.mission.text(), b.mission.text());
  EXPECT_EQ(a.difficulty, b.difficulty);
  EXPECT_EQ(a.target, b.target);
  EXPECT_EQ(a.place, b.place);
  EXPECT_EQ(a.other_place, b.other_place);
  EXPECT_EQ(a.max_steps, b.max_steps);
  EXPECT_EQ(a.rules, b.rules);
  EXPECT_EQ(a.see_through_walls, b.see_through_walls);
}

TEST(KnownLevels, AreThoseThatAreMade) {
  for (const Task& task : tasks()) {
    SCOPED_TRACE(task.name);
    KnownLevels levels(task);
    Random random = Streams(1).named("seeds");
    Level level;
    for (int i = 0; i < 60; ++i) {
      // Few, so that most come again; and pairs that want the same place.
      const std::uint64_t seed = random.below(6) + 8192 * random.below(2);
      levels.get(seed, level);
      expect_equal(level, make_level(task, seed));
    }
    EXPECT_LE(levels.num_kept(), 6U);
  }
}

TEST(KnownLevels, AreKeptFromTheirSecondVisitOn) {
  const Task& task = find_task("MultiRoom-N4-Random");
  KnownLevels levels(task);
  Level level;
  for (const std::uint64_t seed : {0, 5, 7, 8197}) levels.get(seed, level);
  EXPECT_EQ(levels.num_kept(), 0U);
  levels.get(0, level);
  EXPECT_EQ(levels.num_kept(), 1U);
  levels.get(5, level);  // 8197 has had its place since
  EXPECT_EQ(levels.num_kept(), 1U);
  levels.get(5, level);
  EXPECT_EQ(levels.num_kept(), 2U);
}

}  // namespace
}  // namespace plr::minigrid
