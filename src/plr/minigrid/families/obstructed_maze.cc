#include <algorithm>
#include <array>

#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"
#include "plr/minigrid/room_grid.h"

namespace plr::minigrid {
namespace {

constexpr Cell kTarget = ball(Color::kBlue);
constexpr Cell kObstacle = ball(Color::kGreen);
constexpr Cell kBox = box(Color::kGrey);

// The colors of the doors: a random permutation of all six.
std::array<Color, 6> drawn_colors(LevelRandom& random) {
  std::array<Color, 6> colors = kColorsByName;
  // The drawn color moves to the front of the remaining ones, which keep their order.
  for (int i = 0; i < 6; ++i) {
    const auto first = colors.begin() + i;
    const auto drawn = first + random.integer(0, 6 - i);
    std::rotate(first, drawn, drawn + 1);
  }
  return colors;
}

void add_locked_door(const ObstructedMazeShape& shape, Position room, Direction side, Color color,
                     RoomGrid& rooms, LevelBuilder& build) {
  const Position door_position = rooms.add_door(room, side, color, DoorState::kLocked);
  // The ball replaces any object in that cell, in version 0 possibly a box with a key, as in the
  // reference.
  if (shape.blocked) build.put(door_position - offset(side), kObstacle);
}

void add_key(const ObstructedMazeShape& shape, Position room, Color color, RoomGrid& rooms) {
  if (shape.key_in_box) {
    rooms.place(room, kBox, BoxContent::key_of(color));
  } else {
    rooms.place(room, key(color));
  }
}

// A door from the middle room into a side room, and from there two locked doors.
void add_quarter(const ObstructedMazeShape& shape, int quarter, const std::array<Color, 6>& colors,
                 RoomGrid& rooms, LevelBuilder& build) {
  const auto side = static_cast<Direction>(quarter);
  const Position middle = {1, 1};
  const Position side_room = middle + offset(side);
  rooms.add_door(middle, side, colors[static_cast<std::size_t>(quarter)], DoorState::kClosed);
  const auto color = [&](int turn) {
    return colors[static_cast<std::size_t>(quarter + turn + 6) % 6];
  };
  for (const int turn : {-1, 1}) {
    add_locked_door(shape, side_room, turned(side, turn), color(turn), rooms, build);
    if (!shape.keys_last) add_key(shape, side_room, color(turn), rooms);
  }
  if (shape.keys_last) {
    for (const int turn : {-1, 1}) add_key(shape, side_room, color(turn), rooms);
  }
}

}  // namespace

Level obstructed_maze(const ObstructedMazeShape& shape, LevelRandom& random) {
  const RoomGridShape layout = {.room_size = shape.room_size,
                                .rows = shape.two_rooms ? 1 : 3,
                                .columns = shape.two_rooms ? 2 : 3};
  Level level = blank_level(
      std::max(layout.width(), shape.min_grid_size), std::max(layout.height(), shape.min_grid_size),
      {.max_steps = 4 * shape.rooms_visited * shape.room_size * shape.room_size,
       .mission = "pick up the blue ball",
       .rules = Rules::kPickUp});
  level.target = kTarget;
  LevelBuilder build(level, random);
  RoomGrid rooms(build, layout);
  const std::array<Color, 6> colors = drawn_colors(random);
  if (shape.two_rooms) {
    add_locked_door(shape, {0, 0}, Direction::kRight, colors[0], rooms, build);
    add_key(shape, {0, 0}, colors[0], rooms);
    rooms.place({1, 0}, kTarget);
  } else {
    for (int quarter = 0; quarter < shape.quarters; ++quarter) {
      add_quarter(shape, quarter, colors, rooms, build);
    }
    // The corner rooms, clockwise from the upper right one.
    constexpr std::array<Position, 4> kCorners = {{{2, 0}, {2, 2}, {0, 2}, {0, 0}}};
    const auto corner = static_cast<std::size_t>(random.integer(0, shape.quarters));
    rooms.place(kCorners[corner], kTarget);
  }
  rooms.place_agent(shape.agent_room);
  return level;
}

}  // namespace plr::minigrid
