// A solver for levels, for tests.
//
// solution() is a heuristic player with full observation: it opens boxes, fetches keys, clears
// doorways and walks to the goal or the target.  Its solutions are not the shortest, and it may
// fail on a solvable level.  reachable_through_objects() is a necessary condition: where it is
// false, the level has no solution.  A level for which it is true and solution() fails is a defect
// of the player.
//
// Supports Rules::kReachGoal and Rules::kPickUp.  Stateless: thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "plr/minigrid/step.h"

namespace plr::minigrid {

// Actions that end in a reward; nothing if the player fails or exceeds the step limit.
std::optional<std::vector<Action>> solution(const Level& level);

// Whether the goal or target could be reached if only walls and locked doors were obstacles.
bool reachable_through_objects(const Level& level);

}  // namespace plr::minigrid
