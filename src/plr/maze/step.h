// One step in the maze.
//
//   State state = start_of(level);
//   const StepResult result = step(level, {.max_steps = 250}, state, Action::kForward);
//   if (result.done()) ...   // the state is final; start another level
//
// The goal is reached by a step forward from the cell beside it; the agent never enters its cell.
// Actions other than the first three only take time.  Does not allocate.  Stateless: thread-safe
// for distinct states.
#pragma once

#include <cstdint>

#include "plr/maze/level.h"
#include "plr/minigrid/step.h"

namespace plr::maze {

using minigrid::Action;
using minigrid::kNumActions;

struct Rules {
  int max_steps = 250;        // at least 1; the step with this number ends the episode
  bool penalize_time = true;  // the reward decreases with time; otherwise it is 1
};

struct StepResult {
  float reward = 0;
  bool reached_goal = false;
  bool out_of_time = false;  // both can be true
  bool done() const { return reached_goal || out_of_time; }
};

// The reward for reaching the goal with step number `time`: 1 - 0.9 * time / max_steps.
float goal_reward(const Rules& rules, int time);

// REQUIRES: `state` was reached from the level's start, and its episode has not ended.
inline StepResult step(const Level& level, const Rules& rules, State& state, Action action) {
  // Quarter turns to the right by action.
  constexpr std::uint8_t kTurns[kNumActions] = {3, 1, 0, 0, 0, 0, 0};
  const Position front = state.front();
  const bool is_move = action == Action::kForward;
  StepResult result;
  result.reached_goal = is_move && front == level.goal;
  // Walls surround the maze, so that the agent stays inside.
  if (is_move && !result.reached_goal && !level.walls.at_or_beside(front)) state.agent = front;
  state.direction = turned(state.direction, kTurns[static_cast<std::size_t>(action)]);
  ++state.time;
  if (result.reached_goal) result.reward = goal_reward(rules, state.time);
  result.out_of_time = state.time >= rules.max_steps;
  return result;
}

}  // namespace plr::maze
