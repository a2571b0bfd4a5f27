#include <array>
#include <span>

#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"

namespace plr::minigrid {
namespace {

// The walls of a room in the reference's numbering, which is that of Direction.
using Wall = Direction;

struct Room {
  Position top;
  int width = 0;
  int height = 0;
  Position entry;  // its door, in the wall shared with the previous room
};

class Chain {
 public:
  void clear() { size_ = 0; }
  void add(const Room& room) { rooms_[size_++] = room; }
  std::size_t size() const { return size_; }
  const Room& operator[](std::size_t i) const { return rooms_[i]; }

 private:
  std::array<Room, 6> rooms_;
  std::size_t size_ = 0;
};

// The comparisons are the reference's, strict on one side only.
bool overlap(const Room& room, const Room& other) {
  const bool apart =
      room.top.x + room.width < other.top.x || other.top.x + other.width <= room.top.x ||
      room.top.y + room.height < other.top.y || other.top.y + other.height <= room.top.y;
  return !apart;
}

bool fits(const Room& room, const Chain& chain, int grid_size) {
  // As in the reference, the last row stays free, the last column does not.
  if (room.top.x < 0 || room.top.y < 0 || room.top.x + room.width > grid_size ||
      room.top.y + room.height >= grid_size) {
    return false;
  }
  // The previous room shares a wall with this one.
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    if (overlap(room, chain[i])) return false;
  }
  return true;
}

// The corner of a room that is entered at `room.entry` through its wall `entry_wall`.
Position drawn_top(const Room& room, Wall entry_wall, LevelRandom& random) {
  const auto [x, y] = room.entry;
  switch (entry_wall) {
    case Wall::kRight:
      return {x - room.width + 1, random.integer(y - room.height + 2, y)};
    case Wall::kDown:
      return {random.integer(x - room.width + 2, x), y - room.height + 1};
    case Wall::kLeft:
      return {x, random.integer(y - room.height + 2, y)};
    case Wall::kUp:
      return {random.integer(x - room.width + 2, x), y};
  }
  return {};
}

Position drawn_exit(const Room& room, Wall wall, LevelRandom& random) {
  const auto [x, y] = room.top;
  switch (wall) {
    case Wall::kRight:
      return {x + room.width - 1, y + random.integer(1, room.height - 1)};
    case Wall::kDown:
      return {x + random.integer(1, room.width - 1), y + room.height - 1};
    case Wall::kLeft:
      return {x, y + random.integer(1, room.height - 1)};
    case Wall::kUp:
      return {x + random.integer(1, room.width - 1), y};
  }
  return {};
}

Wall drawn_exit_wall(Wall entry_wall, LevelRandom& random) {
  const int drawn = random.integer(0, 3);
  return static_cast<Wall>(drawn < static_cast<int>(entry_wall) ? drawn : drawn + 1);
}

// Adds a room and up to `num_left` - 1 more behind it, as far as they fit.  False if the room
// itself does not fit.  A chain that gets stuck later is kept; the caller retries from the
// beginning.
bool extend(Chain& chain, int num_left, Wall entry_wall, Position entry,
            const MultiRoomShape& shape, LevelRandom& random) {
  Room room;
  room.entry = entry;
  room.width = random.integer(4, shape.max_room_size + 1);
  room.height = random.integer(4, shape.max_room_size + 1);
  room.top = chain.size() == 0 ? entry : drawn_top(room, entry_wall, random);
  if (!fits(room, chain, shape.grid_size)) return false;
  chain.add(room);
  if (num_left == 1) return true;
  for (int tries = 0; tries < 8; ++tries) {
    const Wall exit_wall = drawn_exit_wall(entry_wall, random);
    const Position exit = drawn_exit(room, exit_wall, random);
    if (extend(chain, num_left - 1, turned(exit_wall, 2), exit, shape, random)) break;
  }
  return true;
}

Chain drawn_chain(int num_rooms, const MultiRoomShape& shape, LevelRandom& random) {
  Chain chain;
  while (chain.size() < static_cast<std::size_t>(num_rooms)) {
    chain.clear();
    Position entry;
    entry.x = random.integer(0, shape.grid_size - 2);
    entry.y = random.integer(0, shape.grid_size - 2);
    extend(chain, num_rooms, Wall::kLeft, entry, shape, random);
  }
  return chain;
}

// Any color but that of the previous door.
Color drawn_color(const Color* previous, LevelRandom& random) {
  if (previous == nullptr) return random.color();
  const int drawn = random.integer(0, 5);
  const auto i = static_cast<std::size_t>(drawn);
  std::size_t skipped = 0;
  while (kColorsByName[skipped] != *previous) ++skipped;
  return kColorsByName[i < skipped ? i : i + 1];
}

}  // namespace

Level multi_room(const MultiRoomShape& shape, LevelRandom& random) {
  Level level = blank_level(
      shape.grid_size, shape.grid_size,
      {.max_steps = 20 * shape.max_rooms, .mission = "traverse the rooms to get to the goal"});
  LevelBuilder build(level, random);
  const int num_rooms = random.integer(shape.min_rooms, shape.max_rooms + 1);
  level.difficulty = static_cast<std::uint8_t>(num_rooms - 1);
  const Chain chain = drawn_chain(num_rooms, shape, random);
  Color color{};
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Room& room = chain[i];
    build.wall_rectangle({room.top, room.width, room.height});
    if (i == 0) continue;
    color = drawn_color(i == 1 ? nullptr : &color, random);
    build.put(room.entry, door(color, DoorState::kClosed));
  }
  const Room& first = chain[0];
  const Room& last = chain[chain.size() - 1];
  build.place_agent({first.top, first.width, first.height});
  build.place(kGoalCell, {last.top, last.width, last.height});
  return level;
}

}  // namespace plr::minigrid
