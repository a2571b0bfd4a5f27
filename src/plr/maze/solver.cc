#include "plr/maze/solver.h"

#include <algorithm>

namespace plr::maze {
namespace {

Direction direction_of(std::int32_t state) { return static_cast<Direction>(state & 3); }

}  // namespace

std::optional<std::int32_t> Solver::search(const Level& level) {
  parents_.assign(4 * static_cast<std::size_t>(level.num_cells()), kUnseen);
  queue_.clear();
  const auto visit = [&](std::int32_t state, std::int32_t parent) {
    std::int32_t& known = parents_[static_cast<std::size_t>(state)];
    if (known != kUnseen) return;
    known = parent;
    queue_.push_back(state);
  };
  const auto number_of = [&](Position p, Direction direction) {
    return 4 * level.index(p) + static_cast<std::int32_t>(direction);
  };
  const std::int32_t first = number_of(level.agent, level.direction);
  visit(first, first);
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const std::int32_t state = queue_[next];
    const Position p = level.cell(state / 4);
    const Direction direction = direction_of(state);
    const Position front = p + offset(direction);
    if (front == level.goal) return state;
    if (!level.walls.at_or_beside(front)) visit(number_of(front, direction), state);
    visit(number_of(p, turned(direction, 3)), state);
    visit(number_of(p, turned(direction, 1)), state);
  }
  return std::nullopt;
}

std::optional<int> Solver::num_actions(const Level& level) {
  const std::optional<std::int32_t> last = search(level);
  if (!last) return std::nullopt;
  int count = 1;  // the step to the goal
  for (auto state = *last; parents_[static_cast<std::size_t>(state)] != state; ++count) {
    state = parents_[static_cast<std::size_t>(state)];
  }
  return count;
}

std::vector<Action> Solver::solution(const Level& level) {
  const std::optional<std::int32_t> last = search(level);
  if (!last) return {};
  std::vector<Action> actions = {Action::kForward};
  for (std::int32_t state = *last;;) {
    const std::int32_t parent = parents_[static_cast<std::size_t>(state)];
    if (parent == state) break;
    const Direction before = direction_of(parent);
    actions.push_back(direction_of(state) == before              ? Action::kForward
                      : direction_of(state) == turned(before, 1) ? Action::kRight
                                                                 : Action::kLeft);
    state = parent;
  }
  std::reverse(actions.begin(), actions.end());
  return actions;
}

std::optional<int> Solver::num_moves(const Level& level) {
  distances_.assign(static_cast<std::size_t>(level.num_cells()), kUnseen);
  queue_.assign(1, level.index(level.agent));
  distances_[static_cast<std::size_t>(queue_[0])] = 0;
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const Position p = level.cell(queue_[next]);
    const std::int32_t distance = distances_[static_cast<std::size_t>(queue_[next])] + 1;
    for (int d = 0; d < 4; ++d) {
      const Position q = p + offset(static_cast<Direction>(d));
      if (q == level.goal) return distance;
      if (level.walls.at_or_beside(q)) continue;
      std::int32_t& known = distances_[static_cast<std::size_t>(level.index(q))];
      if (known != kUnseen) continue;
      known = distance;
      queue_.push_back(level.index(q));
    }
  }
  return std::nullopt;
}

}  // namespace plr::maze
