// Levels of equal rooms in rows and columns, as minigrid's RoomGrid builds them.
//
// Neighboring rooms share a wall; the constructor draws the position of a possible door in each
// such wall.  A room is identified by (column, row), a side by the direction in which it is left.
//
//   RoomGrid rooms(build, {.room_size = 6, .rows = 1, .columns = 2});
//   rooms.add_door({0, 0}, Direction::kRight, Color::kRed, DoorState::kLocked);
//   rooms.place({0, 0}, key(Color::kRed));
//   rooms.place_agent({0, 0});
//
// Refers to a LevelBuilder.  Not thread-safe.
#pragma once

#include <array>

#include "plr/minigrid/level_builder.h"

namespace plr::minigrid {

struct RoomGridShape {
  int room_size = 0;  // cells, including the walls
  int rows = 1;
  int columns = 1;
  int width() const { return (room_size - 1) * columns + 1; }
  int height() const { return (room_size - 1) * rows + 1; }
};

class RoomGrid {
 public:
  // Puts the walls and draws the positions of the doors.
  // REQUIRES: at most nine rooms; `build` outlives this object.
  RoomGrid(LevelBuilder& build, const RoomGridShape& shape);

  Position door_position(Position room, Direction side) const;

  // Returns the position of the door.
  Position add_door(Position room, Direction side, Color color, DoorState state);

  // Merges this room with the one above it.
  void remove_wall_above(Position room);

  // Puts the object into a random free cell of the room that is not next to the agent.
  Position place(Position room, Cell cell, BoxContent content = {});

  // Puts the agent into the room; it does not face an object.
  void place_agent(Position room);

  // Adds random doors until every room is reachable, locked doors included.
  void connect_all();

 private:
  struct Room {
    Position top;
    std::array<Position, 4> door_position;  // by Direction
    std::array<bool, 4> connected = {};     // by a door or a missing wall
    bool locked = false;
  };

  bool has(Position room) const;
  Room& at(Position room) { return rooms_[index(room)]; }
  const Room& at(Position room) const { return rooms_[index(room)]; }
  std::size_t index(Position room) const {
    return static_cast<std::size_t>(room.y * shape_.columns + room.x);
  }
  Region region(Position room) const { return {at(room).top, shape_.room_size, shape_.room_size}; }
  void connect(Position room, Direction side);
  bool all_reachable() const;

  LevelBuilder& build_;
  RoomGridShape shape_;
  std::array<Room, 9> rooms_;
};

}  // namespace plr::minigrid
