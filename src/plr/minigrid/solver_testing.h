// Can a level be solved?
//
// A player for tests who sees everything: it opens boxes, fetches keys, clears doorways and walks
// to the goal or the target.  It is not the fastest, and it may give up where a cleverer one would
// not; a proof that a level has no solution comes from the other side, a world in which objects are
// no obstacles.  A level with neither is a mistake of the player.
//
// It knows the rules kReachGoal and kPickUp.
#pragma once

#include <optional>
#include <vector>

#include "plr/minigrid/step.h"

namespace plr::minigrid {

// Actions that end in a reward; nothing if the player gives up or its time does.
std::optional<std::vector<Action>> solution(const Level& level);

// Could the goal or target be reached if all objects but walls and locked doors were thin air?
// What cannot be solved so cannot be solved at all.
bool reachable_through_objects(const Level& level);

}  // namespace plr::minigrid
