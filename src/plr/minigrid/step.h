// One step of minigrid 3.1.0, in its order: step count, action, step limit, rules of the task.
//
//   State state = level.start;
//   const StepResult result = step(level, state, Action::kToggle);
//   if (result.done()) ...   // the state is final; start another level
//
// Does not allocate.  Stateless: thread-safe for distinct states.
#pragma once

#include <cstdint>

#include "plr/minigrid/level.h"

namespace plr::minigrid {

enum class Action : std::uint8_t { kLeft, kRight, kForward, kPickUp, kDrop, kToggle, kDone };
inline constexpr int kNumActions = 7;

struct StepResult {
  double reward = 0;
  bool terminated = false;  // the task ended the episode
  bool truncated = false;   // the step limit did; both can be true
  bool done() const { return terminated || truncated; }
};

// REQUIRES: `state` was reached from level.start, and its episode has not ended.
StepResult step(const Level& level, State& state, Action action);

}  // namespace plr::minigrid
