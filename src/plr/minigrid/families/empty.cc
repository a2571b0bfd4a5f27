#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"

namespace plr::minigrid {
namespace {

constexpr std::string_view kMission = "get to the green goal square";

void add_walls_goal_and_agent(LevelBuilder& build, int size, AgentStart start) {
  build.level().see_through_walls = true;
  build.outer_walls();
  build.put({size - 2, size - 2}, kGoalCell);
  if (start == AgentStart::kCorner) {
    build.put_agent({1, 1}, Direction::kRight);
  } else {
    build.place_agent(whole(build.grid()));
  }
}

}  // namespace

Level empty(int size, AgentStart start, LevelRandom& random) {
  Level level = blank_level(size, size, {.max_steps = 4 * size * size, .mission = kMission});
  LevelBuilder build(level, random);
  add_walls_goal_and_agent(build, size, start);
  return level;
}

Level dynamic_obstacles(int size, int num_obstacles, AgentStart start, LevelRandom& random) {
  Level level = blank_level(
      size, size,
      {.max_steps = 4 * size * size, .mission = kMission, .rules = Rules::kMovingObstacles});
  LevelBuilder build(level, random);
  add_walls_goal_and_agent(build, size, start);
  // The reference's bound for small rooms.
  Obstacles& obstacles = level.start.obstacles;
  obstacles.count = num_obstacles <= size / 2 + 1 ? num_obstacles : size / 2;
  for (int i = 0; i < obstacles.count; ++i) {
    obstacles.at[static_cast<std::size_t>(i)] = build.place(
        ball(Color::kBlue), whole(level.start.grid), [](Position) { return false; }, 100);
  }
  return level;
}

}  // namespace plr::minigrid
