#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"
#include "plr/minigrid/room_grid.h"
#include "plr/minigrid/text.h"

namespace plr::minigrid {
namespace {

constexpr RoomGridShape kTwoRooms = {.room_size = 6, .rows = 1, .columns = 2};
constexpr Position kLeftRoom = {0, 0};
constexpr Position kRightRoom = {1, 0};

Level two_rooms(int max_steps, Rules rules) {
  return blank_level(kTwoRooms.width(), kTwoRooms.height(),
                     {.max_steps = max_steps, .rules = rules});
}

// A box of any color in the right room is the target.
void add_target_box(Level& level, RoomGrid& rooms, LevelRandom& random) {
  level.target = box(random.color());
  level.mission = Mission(text("pick up the ", name_of(level.target.color), " box"));
  rooms.place(kRightRoom, level.target);
}

}  // namespace

Level unlock(LevelRandom& random) {
  Level level = two_rooms(288, Rules::kOpenDoor);
  level.mission = Mission("open the door");
  LevelBuilder build(level, random);
  RoomGrid rooms(build, kTwoRooms);
  const Color color = random.color();
  level.position = rooms.add_door(kLeftRoom, Direction::kRight, color, DoorState::kLocked);
  rooms.place(kLeftRoom, key(color));
  rooms.place_agent(kLeftRoom);
  return level;
}

Level unlock_pickup(LevelRandom& random) {
  Level level = two_rooms(288, Rules::kPickUp);
  LevelBuilder build(level, random);
  RoomGrid rooms(build, kTwoRooms);
  add_target_box(level, rooms, random);
  const Color color = random.color();
  rooms.add_door(kLeftRoom, Direction::kRight, color, DoorState::kLocked);
  rooms.place(kLeftRoom, key(color));
  rooms.place_agent(kLeftRoom);
  return level;
}

Level blocked_unlock_pickup(LevelRandom& random) {
  Level level = two_rooms(576, Rules::kPickUp);
  LevelBuilder build(level, random);
  RoomGrid rooms(build, kTwoRooms);
  add_target_box(level, rooms, random);
  const Color color = random.color();
  const Position door_position =
      rooms.add_door(kLeftRoom, Direction::kRight, color, DoorState::kLocked);
  build.put(door_position - offset(Direction::kRight), ball(random.color()));
  rooms.place(kLeftRoom, key(color));
  rooms.place_agent(kLeftRoom);
  return level;
}

}  // namespace plr::minigrid
