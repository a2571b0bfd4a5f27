#include "plr/minigrid/room_grid.h"

#include <bit>
#include <cstdlib>
#include <stdexcept>

namespace plr::minigrid {
namespace {

constexpr std::array<Direction, 4> kSides = {Direction::kRight, Direction::kDown, Direction::kLeft,
                                             Direction::kUp};

std::size_t index_of(Direction side) { return static_cast<std::size_t>(side); }

}  // namespace

RoomGrid::RoomGrid(LevelBuilder& build, const RoomGridShape& shape) : build_(build), shape_(shape) {
  const int pitch = shape.room_size - 1;
  for (int row = 0; row < shape.rows; ++row) {
    for (int column = 0; column < shape.columns; ++column) {
      at({column, row}).top = {column * pitch, row * pitch};
      build.wall_rectangle(region({column, row}));
    }
  }
  // A door to the right and one below, drawn room by room; neighbors share them.
  LevelRandom& random = build.random();
  for (int row = 0; row < shape.rows; ++row) {
    for (int column = 0; column < shape.columns; ++column) {
      Room& room = at({column, row});
      const auto [x, y] = room.top;
      if (column + 1 < shape.columns) {
        const Position right = {x + pitch, random.integer(y + 1, y + pitch)};
        room.door_position[index_of(Direction::kRight)] = right;
        at({column + 1, row}).door_position[index_of(Direction::kLeft)] = right;
      }
      if (row + 1 < shape.rows) {
        const Position below = {random.integer(x + 1, x + pitch), y + pitch};
        room.door_position[index_of(Direction::kDown)] = below;
        at({column, row + 1}).door_position[index_of(Direction::kUp)] = below;
      }
    }
  }
  // The agent starts in the middle room: objects are not placed next to it, although it moves
  // later.
  build.put_agent({shape.columns / 2 * pitch + shape.room_size / 2,
                   shape.rows / 2 * pitch + shape.room_size / 2},
                  Direction::kRight);
}

Position RoomGrid::door_position(Position room, Direction side) const {
  return at(room).door_position[index_of(side)];
}

Position RoomGrid::add_door(Position room, Direction side, Color color, DoorState state) {
  at(room).locked = state == DoorState::kLocked;
  connect(room, side);
  const Position p = door_position(room, side);
  build_.put(p, door(color, state));
  return p;
}

void RoomGrid::remove_wall_above(Position room) {
  const auto [x, y] = at(room).top;
  build_.row({x + 1, y}, shape_.room_size - 2, kEmptyCell);
  connect(room, Direction::kUp);
}

Position RoomGrid::place(Position room, Cell cell, BoxContent content) {
  const Position agent = build_.state().agent;
  const auto next_to_agent = [agent](Position p) {
    return std::abs(p.x - agent.x) + std::abs(p.y - agent.y) < 2;
  };
  return build_.place(cell, region(room), next_to_agent, 1000, content);
}

void RoomGrid::place_agent(Position room) {
  const State& state = build_.state();
  Kind front = Kind::kUnseen;
  while (front != Kind::kEmpty && front != Kind::kWall) {
    build_.place_agent(region(room), 1000);
    front = state.grid.at(state.front()).kind;
  }
}

void RoomGrid::connect_all() {
  LevelRandom& random = build_.random();
  // The reference gives up after 5000 draws.
  for (int tries = 0; !all_reachable(); ++tries) {
    if (tries > 5000) throw std::runtime_error("level generation: rooms cannot be connected");
    Position room;
    room.x = random.integer(0, shape_.columns);
    room.y = random.integer(0, shape_.rows);
    const Direction side = kSides[static_cast<std::size_t>(random.integer(0, 4))];
    const Position neighbor = room + offset(side);
    if (!has(neighbor) || at(room).connected[index_of(side)]) continue;
    if (at(room).locked || at(neighbor).locked) continue;
    add_door(room, side, random.color(), DoorState::kClosed);
  }
}

bool RoomGrid::has(Position room) const {
  return room.x >= 0 && room.x < shape_.columns && room.y >= 0 && room.y < shape_.rows;
}

void RoomGrid::connect(Position room, Direction side) {
  at(room).connected[index_of(side)] = true;
  at(room + offset(side)).connected[index_of(turned(side, 2))] = true;
}

// Whether all rooms are reachable from the agent's room over connections of any kind.
bool RoomGrid::all_reachable() const {
  const int pitch = shape_.room_size - 1;
  const Position agent = build_.state().agent;
  unsigned reached = 1U << index({agent.x / pitch, agent.y / pitch});
  for (unsigned before = 0; before != reached;) {
    before = reached;
    for (int row = 0; row < shape_.rows; ++row) {
      for (int column = 0; column < shape_.columns; ++column) {
        const Position room = {column, row};
        if ((reached >> index(room) & 1) == 0) continue;
        for (const Direction side : kSides) {
          if (at(room).connected[index_of(side)]) reached |= 1U << index(room + offset(side));
        }
      }
    }
  }
  return std::popcount(reached) == shape_.rows * shape_.columns;
}

}  // namespace plr::minigrid
