#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"

namespace plr::minigrid {

Level door_key(int size, LevelRandom& random) {
  Level level = blank_level(size, size,
                            {.max_steps = 10 * size * size,
                             .mission = "use the key to open the door and then get to the goal"});
  LevelBuilder build(level, random);
  build.outer_walls();
  build.put({size - 2, size - 2}, kGoalCell);
  const int split = random.integer(2, size - 2);
  build.column({split, 0}, size);
  const Region left_part = {{0, 0}, split, size};
  build.place_agent(left_part);
  build.put({split, random.integer(1, size - 2)}, door(Color::kYellow, DoorState::kLocked));
  build.place(key(Color::kYellow), left_part);
  return level;
}

}  // namespace plr::minigrid
