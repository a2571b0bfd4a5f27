// What happens when the agent acts?
//
// One step of minigrid 3.1.0, in its order: the clock, the action, the time limit, then what the
// task adds.  Nothing is allocated.
//
//   State state = level.start;
//   const StepResult result = step(level, state, Action::kToggle);
//   if (result.done()) ...   // the state stays as it ended: begin another level yourself
//
// Thread-safe: it touches its arguments only.
#pragma once

#include <cstdint>

#include "plr/minigrid/level.h"

namespace plr::minigrid {

enum class Action : std::uint8_t { kLeft, kRight, kForward, kPickUp, kDrop, kToggle, kDone };
inline constexpr int kNumActions = 7;

struct StepResult {
  double reward = 0;
  bool terminated = false;  // the task ended
  bool truncated = false;   // the time is up; both can be true
  bool done() const { return terminated || truncated; }
};

// The state must be one of this level's that is not done.
StepResult step(const Level& level, State& state, Action action);

}  // namespace plr::minigrid
