#include <array>

#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"

namespace plr::minigrid {

Level playground(LevelRandom& random) {
  constexpr int kSize = 19;
  constexpr int kRoom = 6;
  constexpr std::array<Kind, 3> kKinds = {Kind::kKey, Kind::kBall, Kind::kBox};
  Level level = blank_level(kSize, kSize, {.max_steps = 100});
  LevelBuilder build(level, random);
  build.outer_walls();
  // The inner walls, each segment with a door.
  for (int top = 0; top <= 2 * kRoom; top += kRoom) {
    for (int left = 0; left <= 2 * kRoom; left += kRoom) {
      if (left < 2 * kRoom) {
        build.column({left + kRoom, top}, kRoom);
        const Position p = {left + kRoom, random.integer(top + 1, top + kRoom - 1)};
        build.put(p, door(random.color(), DoorState::kClosed));
      }
      if (top < 2 * kRoom) {
        build.row({left, top + kRoom}, kRoom);
        const Position p = {random.integer(left + 1, left + kRoom - 1), top + kRoom};
        build.put(p, door(random.color(), DoorState::kClosed));
      }
    }
  }
  build.place_agent(whole(level.start.grid));
  for (int i = 0; i < 12; ++i) {
    const Kind kind = random.element<Kind>(kKinds);
    build.place({kind, random.color()}, whole(level.start.grid));
  }
  return level;
}

}  // namespace plr::minigrid
