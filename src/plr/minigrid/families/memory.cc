#include <utility>

#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"

namespace plr::minigrid {
namespace {

// A room on the left, a hallway to its right, and a crossing corridor at the end.
void build_walls(int size, int end, LevelBuilder& build) {
  const int middle = size / 2;
  build.outer_walls();
  build.row({1, middle - 2}, 4);
  build.row({1, middle + 2}, 4);
  build.row({4, middle - 1}, end - 4);
  build.row({4, middle + 1}, end - 4);
  build.column({end, 0}, size);
  build.put({end, middle}, kEmptyCell);
  build.column({end + 2, 0}, size);
}

}  // namespace

Level memory(int size, bool random_length, LevelRandom& random) {
  Level level = blank_level(size, size,
                            {.max_steps = 5 * size * size,
                             .mission = "go to the matching object at the end of the hallway",
                             .rules = Rules::kMemory});
  LevelBuilder build(level, random);
  const int middle = size / 2;
  const int end = random_length ? random.integer(4, size - 2) : size - 3;
  build_walls(size, end, build);
  build.put_agent({random.integer(1, end + 1), middle}, Direction::kRight);
  // The object to remember, and one object of each kind above and below the end of the hallway.
  const bool remember_ball = random.integer(0, 2) == 1;
  const bool ball_above = random.integer(0, 2) == 0;
  const auto object = [](bool is_ball) {
    return is_ball ? ball(Color::kGreen) : key(Color::kGreen);
  };
  build.put({1, middle - 1}, object(remember_ball));
  build.put({end + 1, middle - 2}, object(ball_above));
  build.put({end + 1, middle + 2}, object(!ball_above));
  level.position = {end + 1, middle - 1};
  level.other_position = {end + 1, middle + 1};
  if (remember_ball != ball_above) std::swap(level.position, level.other_position);
  return level;
}

}  // namespace plr::minigrid
