#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"

namespace plr::minigrid {

Level red_blue_doors(int size, LevelRandom& random) {
  Level level = blank_level(2 * size, size,
                            {.max_steps = 20 * size * size,
                             .mission = "open the red door then the blue door",
                             .rules = Rules::kRedBlueDoors});
  LevelBuilder build(level, random);
  const Region middle_room = {{size / 2, 0}, size, size};
  build.outer_walls();
  build.wall_rectangle(middle_room);
  build.place_agent(middle_room);
  level.position = {size / 2, random.integer(1, size - 1)};
  level.other_position = {size / 2 + size - 1, random.integer(1, size - 1)};
  build.put(level.position, door(Color::kRed, DoorState::kClosed));
  build.put(level.other_position, door(Color::kBlue, DoorState::kClosed));
  return level;
}

}  // namespace plr::minigrid
