#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"

namespace plr::minigrid {

Level four_rooms(LevelRandom& random) {
  constexpr int kSize = 19;
  constexpr int kRoom = 9;
  Level level = blank_level(kSize, kSize, {.max_steps = 100, .mission = "reach the goal"});
  LevelBuilder build(level, random);
  build.outer_walls();
  // The halves of the two middle walls, each with a gap.
  for (const int top : {0, kRoom}) {
    for (const int left : {0, kRoom}) {
      if (left == 0) {
        build.column({kRoom, top}, kRoom);
        build.put({kRoom, random.integer(top + 1, top + kRoom)}, kEmptyCell);
      }
      if (top == 0) {
        build.row({left, kRoom}, kRoom);
        build.put({random.integer(left + 1, left + kRoom), kRoom}, kEmptyCell);
      }
    }
  }
  build.place_agent(whole(level.start.grid));
  build.place(kGoalCell, whole(level.start.grid));
  return level;
}

}  // namespace plr::minigrid
