#include "plr/minigrid/solver_testing.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace plr::minigrid {
namespace {

constexpr std::array<Direction, 4> kDirections = {Direction::kRight, Direction::kDown,
                                                  Direction::kLeft, Direction::kUp};

bool is_door(Cell cell, DoorState state) { return cell == door(cell.color, state); }

bool is_objective(const Level& level, Cell cell) {
  return cell == (level.rules == Rules::kPickUp ? level.target : kGoalCell);
}

// The cells that the agent can reach by turning, walking and opening unlocked doors.
class Surroundings {
 public:
  explicit Surroundings(const State& state) : state_(state) {
    seen_.fill(false);
    faced_before_.fill(false);
    visit({state.agent, state.direction, 0});
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const auto [position, direction, from] = places_[i];
      const int here = static_cast<int>(i);
      visit({position, turned(direction, 3), here});
      visit({position, turned(direction, 1), here});
      const Position front = position + offset(direction);
      const Cell cell = state.grid.at(front);
      const bool dangerous = cell.kind == Kind::kLava || cell.kind == Kind::kGoal;
      if (is_door(cell, DoorState::kClosed) || (cell.can_be_entered() && !dangerous)) {
        visit({front, direction, here});
      }
    }
  }

  // The nearest cell that the agent can face and for which `wish` holds.
  template <class Wish>
  std::optional<Position> nearest(Wish wish) const {
    const auto found = std::find_if(faced_.begin(), faced_.end(),
                                    [&](const Faced& faced) { return wish(faced.cell); });
    if (found == faced_.end()) return std::nullopt;
    return found->cell;
  }

  // The actions after which this cell is in front of the agent.
  std::vector<Action> way_to(Position cell) const {
    const auto faced = std::find_if(faced_.begin(), faced_.end(),
                                    [&](const Faced& other) { return other.cell == cell; });
    std::vector<Action> reversed;
    for (int i = faced->place; i != 0; i = places_[static_cast<std::size_t>(i)].from) {
      const Place& to = places_[static_cast<std::size_t>(i)];
      const Place& from = places_[static_cast<std::size_t>(to.from)];
      if (to.position == from.position) {
        const bool left = to.direction == turned(from.direction, 3);
        reversed.push_back(left ? Action::kLeft : Action::kRight);
      } else {
        reversed.push_back(Action::kForward);
        if (is_door(state_.grid.at(to.position), DoorState::kClosed)) {
          reversed.push_back(Action::kToggle);
        }
      }
    }
    return {reversed.rbegin(), reversed.rend()};
  }

 private:
  struct Place {
    Position position;
    Direction direction;
    int from;  // index of its predecessor; the first is its own
  };
  struct Faced {
    Position cell;
    int place;
  };

  static std::size_t index(Position p) {
    return static_cast<std::size_t>(p.x * Grid::kMaxSide + p.y);
  }

  void visit(const Place& place) {
    const std::size_t at = index(place.position) * 4 + static_cast<std::size_t>(place.direction);
    if (seen_[at]) return;
    seen_[at] = true;
    places_.push_back(place);
    const Position front = place.position + offset(place.direction);
    if (faced_before_[index(front)]) return;
    faced_before_[index(front)] = true;
    faced_.push_back({front, static_cast<int>(places_.size()) - 1});
  }

  const State& state_;
  std::vector<Place> places_;
  std::vector<Faced> faced_;
  std::array<bool, 4 * Grid::kMaxCells> seen_;
  std::array<bool, Grid::kMaxCells> faced_before_;
};

bool beside_door(const Grid& grid, Position p) {
  return std::any_of(kDirections.begin(), kDirections.end(), [&](Direction direction) {
    const Position neighbor = p + offset(direction);
    return grid.contains(neighbor) && grid.at(neighbor).kind == Kind::kDoor;
  });
}

// Whether an object at p leaves a way around it: the free cells of the ring around p that share a
// side with p must be connected.
bool leaves_a_way(const Grid& grid, Position p) {
  constexpr std::array<Position, 8> kRing = {
      {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}};
  int num_parts = 0;
  bool before = grid.at(p + kRing.back()).can_be_entered();
  for (const Position step : kRing) {
    const bool free = grid.at(p + step).can_be_entered();
    if (free && !before) ++num_parts;
    before = free;
  }
  return num_parts <= 1;
}

class Player {
 public:
  explicit Player(const Level& level) : level_(level), state_(level.start) {}

  bool play() {
    while (!last_.done()) {
      const Surroundings around(state_);
      const bool did_something = finish(around) || unlock(around) || put_down(around) ||
                                 take_key(around) || open_box(around) || clear_doorway(around) ||
                                 take_anything(around);
      if (!did_something) return false;
    }
    return last_.terminated && last_.reward > 0;
  }

  std::vector<Action> take_actions() { return std::move(actions_); }

 private:
  bool finish(const Surroundings& around) {
    const auto at = around.nearest([&](Position p) { return is_objective(level_, cell(p)); });
    if (!at) return false;
    if (level_.rules == Rules::kPickUp)
      return put_down(around) || act(around, *at, Action::kPickUp);
    return act(around, *at, Action::kForward);
  }

  bool unlock(const Surroundings& around) {
    const auto opens = [&](Position p) { return fits_key(state_.carrying.cell, p); };
    return act(around, around.nearest(opens), Action::kToggle);
  }

  // Drops it where it blocks nothing, if there is such a cell.
  bool put_down(const Surroundings& around) {
    if (state_.hand_is_empty()) return false;
    const auto free = [&](Position p) { return state_.grid.is_empty(p) && p != state_.agent; };
    auto place = around.nearest([&](Position p) {
      return free(p) && !beside_door(state_.grid, p) && leaves_a_way(state_.grid, p);
    });
    if (!place) place = around.nearest(free);
    return act(around, place, Action::kDrop);
  }

  // A key whose door the agent can face.
  bool take_key(const Surroundings& around) {
    const auto useful = [&](Position p) {
      const auto opens = [&](Position q) { return fits_key(cell(p), q); };
      return cell(p).kind == Kind::kKey && around.nearest(opens).has_value();
    };
    return act(around, around.nearest(useful), Action::kPickUp);
  }

  bool open_box(const Surroundings& around) {
    return act(around, around.nearest([&](Position p) { return cell(p).kind == Kind::kBox; }),
               Action::kToggle);
  }

  bool clear_doorway(const Surroundings& around) {
    const auto in_the_way = [&](Position p) {
      return cell(p).can_be_carried() && beside_door(state_.grid, p);
    };
    return act(around, around.nearest(in_the_way), Action::kPickUp);
  }

  // The last resort of an agent that is enclosed by objects.
  bool take_anything(const Surroundings& around) {
    const auto loose = [&](Position p) { return cell(p).can_be_carried(); };
    return act(around, around.nearest(loose), Action::kPickUp);
  }

  Cell cell(Position p) const { return state_.grid.at(p); }

  bool fits_key(Cell held, Position p) const {
    return held.kind == Kind::kKey && cell(p) == door(held.color, DoorState::kLocked);
  }

  // Walks to the cell and acts; does nothing without a cell.
  bool act(const Surroundings& around, std::optional<Position> at, Action action) {
    if (!at) return false;
    std::vector<Action> actions = around.way_to(*at);
    actions.push_back(action);
    for (const Action next : actions) {
      if (last_.done()) break;
      last_ = step(level_, state_, next);
      actions_.push_back(next);
    }
    return true;
  }

  const Level& level_;
  State state_;
  StepResult last_;
  std::vector<Action> actions_;
};

// The cells reachable from `from` through everything but walls and doors that `keys` do not open.
std::vector<Position> flooded(const Grid& grid, Position from, const std::set<Color>& keys) {
  std::array<bool, Grid::kMaxCells> seen{};
  std::vector<Position> cells;
  const auto visit = [&](Position p) {
    const Cell cell = grid.at(p);
    const bool closed = cell.kind == Kind::kWall ||
                        (is_door(cell, DoorState::kLocked) && !keys.contains(cell.color));
    bool& visited = seen[static_cast<std::size_t>(p.x * Grid::kMaxSide + p.y)];
    if (closed || visited) return;
    visited = true;
    cells.push_back(p);
  };
  visit(from);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (const Direction direction : kDirections) visit(cells[i] + offset(direction));
  }
  return cells;
}

}  // namespace

std::optional<std::vector<Action>> solution(const Level& level) {
  Player player(level);
  if (!player.play()) return std::nullopt;
  return player.take_actions();
}

bool reachable_through_objects(const Level& level) {
  const State& state = level.start;
  std::set<Color> keys;
  for (std::size_t before = 1; before != keys.size();) {
    before = keys.size();
    for (const Position p : flooded(state.grid, state.agent, keys)) {
      const Cell cell = state.grid.at(p);
      if (is_objective(level, cell)) return true;
      const Cell found = cell.kind == Kind::kBox ? state.grid.inside_box(p).revealed() : cell;
      if (found.kind == Kind::kKey) keys.insert(found.color);
    }
  }
  return false;
}

}  // namespace plr::minigrid
