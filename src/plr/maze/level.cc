#include "plr/maze/level.h"

namespace plr::maze {

const char* defect_of(const Level& level) {
  const auto is_floor = [&](Position p) { return !level.walls.at(p); };
  if (!is_floor(level.agent)) return "the agent must be on a floor cell";
  if (!is_floor(level.goal)) return "the goal must be on a floor cell";
  if (level.agent == level.goal) return "agent and goal must be on different cells";
  if (level.direction > Direction::kUp) return "the direction must be from 0 to 3";
  return nullptr;
}

}  // namespace plr::maze
