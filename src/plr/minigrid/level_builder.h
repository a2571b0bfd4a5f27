// Builds a level: walls, objects at given or random positions, the agent.
//
//   Level level = blank_level(8, 8, {.max_steps = 256, .mission = "get to the green goal square"});
//   LevelBuilder build(level, random);
//   build.outer_walls();
//   build.put({6, 6}, kGoalCell);
//   build.place_agent(whole(level.start.grid));
//
// Random draws happen in the reference's order: one draw more or less would give other levels.
//
// Refers to a level and a random stream.  Not thread-safe.
#pragma once

#include <limits>
#include <string_view>

#include "plr/minigrid/free_cell.h"
#include "plr/minigrid/level.h"
#include "plr/minigrid/level_random.h"

namespace plr::minigrid {

struct LevelFacts {
  int max_steps = 0;
  std::string_view mission = {};
  Rules rules = Rules::kReachGoal;
};

// A level of empty cells without an agent.
Level blank_level(int width, int height, const LevelFacts& facts);

class LevelBuilder {
 public:
  static constexpr int kForever = std::numeric_limits<int>::max() - 1;

  // REQUIRES: both outlive the builder.
  LevelBuilder(Level& level, LevelRandom& random)
      : level_(level), state_(level.start), random_(random) {}

  Level& level() { return level_; }
  State& state() { return state_; }
  Grid& grid() { return state_.grid; }
  LevelRandom& random() { return random_; }

  void put(Position p, Cell cell, BoxContent content = {}) { grid().set(p, cell, content); }

  // Sets `length` cells from `from` to the right, or down.
  void row(Position from, int length, Cell cell = kWallCell);
  void column(Position from, int length, Cell cell = kWallCell);
  void wall_rectangle(const Region& outline);
  void outer_walls() { wall_rectangle(whole(grid())); }

  // Puts an object into a random free cell of `region` that `reject` does not reject, and returns
  // the cell's position.  Throws std::runtime_error after max_tries + 1 failed draws.
  template <class Reject>
  Position place(Cell cell, const Region& region, Reject reject, int max_tries = kForever,
                 BoxContent content = {}) {
    const auto free = free_cell(state_, region, max_tries, random_, reject);
    if (!free) fail_to_place();
    put(*free, cell, content);
    return *free;
  }
  Position place(Cell cell, const Region& region) {
    return place(cell, region, [](Position) { return false; });
  }

  // Puts the agent into a random free cell of the region, with a random direction.
  void place_agent(const Region& region, int max_tries = kForever);
  void put_agent(Position p, Direction direction);

 private:
  [[noreturn]] static void fail_to_place();

  Level& level_;
  State& state_;
  LevelRandom& random_;
};

}  // namespace plr::minigrid
