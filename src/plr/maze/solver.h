// Shortest solutions of levels, by breadth-first search over cells and directions.
//
//   Solver solver;
//   const std::optional<int> actions = solver.num_actions(level);   // nothing: there is no way
//   optimal_return(rules, actions);                                 // of an agent that takes it
//
// A search visits at most 4 * width * height states, about 5 ns each.  A Solver reuses its memory.
// Copyable.  Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plr/maze/level.h"
#include "plr/maze/step.h"

namespace plr::maze {

class Solver {
 public:
  // The fewest actions that reach the goal, turns included; nothing if it cannot be reached.
  std::optional<int> num_actions(const Level& level);

  // One shortest sequence of actions that reaches the goal; empty if it cannot be reached.
  std::vector<Action> solution(const Level& level);

  // The fewest moves from cell to cell, without turns.
  std::optional<int> num_moves(const Level& level);

 private:
  static constexpr std::int32_t kUnseen = -1;

  // Returns the state, 4 * cell + direction, from which a step forward reaches the goal.
  std::optional<std::int32_t> search(const Level& level);

  std::vector<std::int32_t> queue_;
  std::vector<std::int32_t> parents_;    // [4 * cells]; of a state, itself for the first
  std::vector<std::int32_t> distances_;  // [cells]; in moves from the agent
};

// The return of an agent that solves a level with this number of actions: 0 if there is no solution
// or if it is longer than an episode.
inline float optimal_return(const Rules& rules, std::optional<int> num_actions) {
  return num_actions && *num_actions <= rules.max_steps ? goal_reward(rules, *num_actions) : 0;
}

}  // namespace plr::maze
