#include "plr/minigrid/step.h"

#include <cassert>
#include <cstdlib>

#include "plr/minigrid/free_cell.h"

namespace plr::minigrid {
namespace {

// The reference's arithmetic in its order: divide, multiply, subtract.
double success_reward(const Level& level, const State& state) {
  return 1 - 0.9 * (static_cast<double>(state.step_count) / level.max_steps);
}

void succeed(const Level& level, const State& state, StepResult& result) {
  result.reward = success_reward(level, state);
  result.terminated = true;
}

void move_forward(const Level& level, State& state, StepResult& result) {
  const Position front = state.front();
  const Cell cell = state.grid.at(front);
  if (!cell.can_be_entered()) return;
  state.agent = front;
  if (cell.kind == Kind::kGoal) succeed(level, state, result);
  if (cell.kind == Kind::kLava) result.terminated = true;
}

void pick_up(State& state) {
  const Position front = state.front();
  const Cell cell = state.grid.at(front);
  if (!cell.can_be_carried() || !state.hand_is_empty()) return;
  state.carrying = {cell, state.grid.inside_box(front)};
  state.grid.set(front, kEmptyCell);
}

void drop(State& state) {
  const Position front = state.front();
  if (state.hand_is_empty() || !state.grid.is_empty(front)) return;
  state.grid.set(front, state.carrying.cell, state.carrying.content);
  state.carrying = {};
}

void toggle(State& state) {
  const Position front = state.front();
  const Cell cell = state.grid.at(front);
  if (cell.kind == Kind::kBox) {
    state.grid.set(front, state.grid.inside_box(front).revealed());
  } else if (cell.kind == Kind::kDoor) {
    switch (static_cast<DoorState>(cell.state)) {
      case DoorState::kOpen:
        state.grid.set_door_state(front, DoorState::kClosed);
        break;
      case DoorState::kClosed:
        state.grid.set_door_state(front, DoorState::kOpen);
        break;
      case DoorState::kLocked:  // the key stays in the hand
        if (state.carrying.cell == key(cell.color)) {
          state.grid.set_door_state(front, DoorState::kOpen);
        }
    }
  }
}

// The part of a step that all tasks share.
StepResult common_step(const Level& level, State& state, Action action) {
  StepResult result;
  ++state.step_count;
  switch (action) {
    case Action::kLeft:
      state.direction = turned(state.direction, 3);
      break;
    case Action::kRight:
      state.direction = turned(state.direction, 1);
      break;
    case Action::kForward:
      move_forward(level, state, result);
      break;
    case Action::kPickUp:
      pick_up(state);
      break;
    case Action::kDrop:
      drop(state);
      break;
    case Action::kToggle:
      toggle(state);
      break;
    case Action::kDone:
      break;
  }
  result.truncated = state.step_count >= level.max_steps;
  return result;
}

StepResult pick_up_step(const Level& level, State& state, Action action) {
  StepResult result = common_step(level, state, action);
  if (action == Action::kPickUp && state.carrying.cell == level.target) {
    succeed(level, state, result);
  }
  return result;
}

StepResult open_door_step(const Level& level, State& state, Action action) {
  StepResult result = common_step(level, state, action);
  if (action == Action::kToggle && state.grid.at(level.position).is_open_door()) {
    succeed(level, state, result);
  }
  return result;
}

StepResult fetch_step(const Level& level, State& state, Action action) {
  StepResult result = common_step(level, state, action);
  if (!state.hand_is_empty()) {
    result.terminated = true;
    if (state.carrying.cell == level.target) succeed(level, state, result);
  }
  return result;
}

bool beside(Position a, Position b) { return std::abs(a.x - b.x) + std::abs(a.y - b.y) == 1; }

StepResult go_to_step(const Level& level, State& state, Action action) {
  StepResult result = common_step(level, state, action);
  if (action == Action::kToggle) result.terminated = true;
  if (action == Action::kDone) {
    result.terminated = true;
    if (beside(state.agent, level.position)) succeed(level, state, result);
  }
  return result;
}

StepResult put_near_step(const Level& level, State& state, Action action) {
  const bool held_something = !state.hand_is_empty();
  StepResult result = common_step(level, state, action);
  if (action == Action::kPickUp && !state.hand_is_empty() && state.carrying.cell != level.target) {
    result.terminated = true;
  }
  // A drop ends the episode even if it failed because the cell was occupied.
  if (action == Action::kDrop && held_something) {
    result.terminated = true;
    const Position away = state.front() - level.position;
    if (state.hand_is_empty() && std::abs(away.x) <= 1 && std::abs(away.y) <= 1) {
      succeed(level, state, result);
    }
  }
  return result;
}

StepResult memory_step(const Level& level, State& state, Action action) {
  // Nothing can be picked up in this task: the reference toggles instead.
  StepResult result =
      common_step(level, state, action == Action::kPickUp ? Action::kToggle : action);
  if (state.agent == level.position) succeed(level, state, result);
  if (state.agent == level.other_position) result.terminated = true;
  return result;
}

StepResult red_blue_doors_step(const Level& level, State& state, Action action) {
  const bool red_was_open = state.grid.at(level.position).is_open_door();
  StepResult result = common_step(level, state, action);
  if (state.grid.at(level.other_position).is_open_door()) {
    result.terminated = true;
    if (red_was_open) succeed(level, state, result);
  }
  return result;
}

// Each ball in order moves to a random free cell around it, or stays if 101 draws find none.
void move_obstacles(State& state) {
  for (int i = 0; i < state.obstacles.count; ++i) {
    Position& at = state.obstacles.at[static_cast<std::size_t>(i)];
    const Region around = {at - Position{1, 1}, 3, 3};
    const auto free = free_cell(state, around, 100, state.random, [](Position) { return false; });
    if (!free) continue;
    state.grid.set(*free, state.grid.at(at));
    state.grid.set(at, kEmptyCell);
    at = *free;
  }
}

StepResult moving_obstacles_step(const Level& level, State& state, Action action) {
  // The task has three actions; the reference turns left for the others.
  if (action > Action::kForward) action = Action::kLeft;
  const Kind front = state.grid.at(state.front()).kind;
  const bool bumps = action == Action::kForward && front != Kind::kEmpty && front != Kind::kGoal;
  move_obstacles(state);
  StepResult result = common_step(level, state, action);
  if (bumps) {
    result.reward = -1;
    result.terminated = true;
  }
  return result;
}

}  // namespace

StepResult step(const Level& level, State& state, Action action) {
  assert(action <= Action::kDone);
  switch (level.rules) {
    case Rules::kReachGoal:
      return common_step(level, state, action);
    case Rules::kPickUp:
      return pick_up_step(level, state, action);
    case Rules::kOpenDoor:
      return open_door_step(level, state, action);
    case Rules::kFetch:
      return fetch_step(level, state, action);
    case Rules::kGoTo:
      return go_to_step(level, state, action);
    case Rules::kPutNear:
      return put_near_step(level, state, action);
    case Rules::kMemory:
      return memory_step(level, state, action);
    case Rules::kRedBlueDoors:
      return red_blue_doors_step(level, state, action);
    case Rules::kMovingObstacles:
      return moving_obstacles_step(level, state, action);
  }
  return {};
}

}  // namespace plr::minigrid
