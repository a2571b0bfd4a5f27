#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"

namespace plr::minigrid {

Level dist_shift(int second_strip, LevelRandom& random) {
  Level level = blank_level(9, 7, {.max_steps = 252, .mission = "get to the green goal square"});
  level.see_through_walls = true;
  LevelBuilder build(level, random);
  build.outer_walls();
  build.put({7, 1}, kGoalCell);
  build.row({3, 1}, 3, kLavaCell);
  build.row({3, second_strip}, 3, kLavaCell);
  build.put_agent({1, 1}, Direction::kRight);
  return level;
}

Level lava_gap(int size, LevelRandom& random) {
  Level level = blank_level(
      size, size,
      {.max_steps = 4 * size * size, .mission = "avoid the lava and get to the green goal square"});
  LevelBuilder build(level, random);
  build.outer_walls();
  build.put_agent({1, 1}, Direction::kRight);
  build.put({size - 2, size - 2}, kGoalCell);
  Position gap;
  gap.x = random.integer(2, size - 2);
  gap.y = random.integer(1, size - 1);
  build.column({gap.x, 1}, size - 2, kLavaCell);
  build.put(gap, kEmptyCell);
  return level;
}

}  // namespace plr::minigrid
