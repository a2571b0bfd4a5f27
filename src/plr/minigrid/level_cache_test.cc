#include "plr/minigrid/level_cache.h"

#include <gtest/gtest.h>

#include "plr/base/random.h"

namespace plr::minigrid {
namespace {

void expect_equal(const Level& a, const Level& b) {
  EXPECT_EQ(a.start, b.start);
  EXPECT_EQ(a.mission.text(), b.mission.text());
  EXPECT_EQ(a.difficulty, b.difficulty);
  EXPECT_EQ(a.target, b.target);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.other_position, b.other_position);
  EXPECT_EQ(a.max_steps, b.max_steps);
  EXPECT_EQ(a.rules, b.rules);
  EXPECT_EQ(a.see_through_walls, b.see_through_walls);
}

TEST(LevelCache, ReturnsTheLevelsThatMakeLevelMakes) {
  for (const Task& task : tasks()) {
    SCOPED_TRACE(task.name);
    LevelCache levels(task);
    Random random = Streams(1).named("seeds");
    Level level;
    for (int i = 0; i < 60; ++i) {
      // Few seeds, so that most are repeated, in pairs that map to the same entry.
      const std::uint64_t seed = random.below(6) + 8192 * random.below(2);
      levels.get(seed, level);
      expect_equal(level, make_level(task, seed));
    }
    EXPECT_LE(levels.num_cached(), 6U);
  }
}

TEST(LevelCache, AdmitsALevelOnItsSecondUse) {
  const Task& task = find_task("MultiRoom-N4-Random");
  LevelCache levels(task);
  Level level;
  for (const std::uint64_t seed : {0, 5, 7, 8197}) levels.get(seed, level);
  EXPECT_EQ(levels.num_cached(), 0U);
  levels.get(0, level);
  EXPECT_EQ(levels.num_cached(), 1U);
  levels.get(5, level);  // 8197 has taken its entry
  EXPECT_EQ(levels.num_cached(), 1U);
  levels.get(5, level);
  EXPECT_EQ(levels.num_cached(), 2U);
}

}  // namespace
}  // namespace plr::minigrid
