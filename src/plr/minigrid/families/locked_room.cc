#include <algorithm>
#include <array>
#include <string_view>

#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"
#include "plr/minigrid/text.h"

namespace plr::minigrid {
namespace {

struct Room {
  Position top;
  Position door;
  Color color{};
};

// Three rooms on each side of a corridor, from top to bottom, left before right.
std::array<Room, 6> drawn_rooms(LevelBuilder& build) {
  std::array<Room, 6> rooms;
  build.outer_walls();
  build.column({7, 0}, 19);
  build.column({11, 0}, 19);
  for (int i = 0; i < 3; ++i) {
    const int y = 6 * i;
    build.row({0, y}, 7);
    build.row({11, y}, 8);
    rooms[static_cast<std::size_t>(2 * i)] = {{0, y}, {7, y + 3}};
    rooms[static_cast<std::size_t>(2 * i + 1)] = {{11, y}, {11, y + 3}};
  }
  return rooms;
}

Position drawn_place(const Room& room, LevelRandom& random) {
  Position p;
  p.x = random.integer(room.top.x + 1, room.top.x + 7);
  p.y = random.integer(room.top.y + 1, room.top.y + 6);
  return p;
}

void color_rooms(std::array<Room, 6>& rooms, LevelRandom& random) {
  std::array<Color, 6> left = kColorsByName;
  std::size_t num_left = left.size();
  for (Room& room : rooms) {
    const auto drawn = static_cast<std::size_t>(random.integer(0, static_cast<int>(num_left)));
    room.color = left[drawn];
    std::copy(left.begin() + drawn + 1, left.begin() + num_left, left.begin() + drawn);
    --num_left;
  }
}

}  // namespace

Level locked_room(LevelRandom& random) {
  Level level = blank_level(19, 19, {.max_steps = 190});
  LevelBuilder build(level, random);
  std::array<Room, 6> rooms = drawn_rooms(build);
  const auto locked = static_cast<std::size_t>(random.integer(0, 6));
  build.put(drawn_place(rooms[locked], random), kGoalCell);
  color_rooms(rooms, random);
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    build.put(rooms[i].door,
              door(rooms[i].color, i == locked ? DoorState::kLocked : DoorState::kClosed));
  }
  std::size_t with_key = locked;
  while (with_key == locked) with_key = static_cast<std::size_t>(random.integer(0, 6));
  build.put(drawn_place(rooms[with_key], random), key(rooms[locked].color));
  build.place_agent({{7, 0}, 4, 19});
  const std::string_view locked_color = name_of(rooms[locked].color);
  level.mission =
      Mission(text("get the ", locked_color, " key from the ", name_of(rooms[with_key].color),
                   " room, unlock the ", locked_color, " door and go to the goal"));
  return level;
}

}  // namespace plr::minigrid
