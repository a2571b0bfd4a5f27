#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"
#include "plr/minigrid/room_grid.h"
#include "plr/minigrid/text.h"

namespace plr::minigrid {

Level key_corridor(int room_size, int rows, LevelRandom& random) {
  const RoomGridShape shape = {.room_size = room_size, .rows = rows, .columns = 3};
  Level level = blank_level(shape.width(), shape.height(),
                            {.max_steps = 30 * room_size * room_size, .rules = Rules::kPickUp});
  LevelBuilder build(level, random);
  RoomGrid rooms(build, shape);
  // The middle column is the corridor.
  for (int row = 1; row < rows; ++row) rooms.remove_wall_above({1, row});
  // The target is in a locked room on the right, the key in a room on the left.
  const Position locked_room = {2, random.integer(0, rows)};
  const Color color = random.color();
  rooms.add_door(locked_room, Direction::kLeft, color, DoorState::kLocked);
  level.target = ball(random.color());
  level.mission = Mission(text("pick up the ", name_of(level.target.color), " ball"));
  rooms.place(locked_room, level.target);
  rooms.place({0, random.integer(0, rows)}, key(color));
  rooms.place_agent({1, rows / 2});
  rooms.connect_all();
  return level;
}

}  // namespace plr::minigrid
