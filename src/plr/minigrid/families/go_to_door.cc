#include <algorithm>
#include <array>

#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"
#include "plr/minigrid/text.h"

namespace plr::minigrid {
namespace {

// A random position on each wall: top, bottom, left, right.
std::array<Position, 4> drawn_doors(int width, int height, LevelRandom& random) {
  std::array<Position, 4> doors;
  doors[0] = {random.integer(2, width - 2), 0};
  doors[1] = {random.integer(2, width - 2), height - 1};
  doors[2] = {0, random.integer(2, height - 2)};
  doors[3] = {width - 1, random.integer(2, height - 2)};
  return doors;
}

std::array<Color, 4> drawn_colors(LevelRandom& random) {
  std::array<Color, 4> colors;
  for (auto next = colors.begin(); next != colors.end();) {
    const Color color = random.color();
    if (std::find(colors.begin(), next, color) == next) *next++ = color;
  }
  return colors;
}

}  // namespace

Level go_to_door(int size, LevelRandom& random) {
  Level level = blank_level(size, size, {.max_steps = 4 * size * size, .rules = Rules::kGoTo});
  level.see_through_walls = true;
  LevelBuilder build(level, random);
  Region room = {{0, 0}};
  room.width = random.integer(5, size + 1);
  room.height = random.integer(5, size + 1);
  build.wall_rectangle(room);
  const std::array<Position, 4> doors = drawn_doors(room.width, room.height, random);
  const std::array<Color, 4> colors = drawn_colors(random);
  for (std::size_t i = 0; i < doors.size(); ++i) {
    build.put(doors[i], door(colors[i], DoorState::kClosed));
  }
  build.place_agent(room);
  const auto wanted = static_cast<std::size_t>(random.integer(0, 4));
  level.target = level.start.grid.at(doors[wanted]);
  level.position = doors[wanted];
  level.mission = Mission(text("go to the ", name_of(colors[wanted]), " door"));
  return level;
}

}  // namespace plr::minigrid
