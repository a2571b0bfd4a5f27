// How is a level put together?
//
// The few tools that all generators share: walls, objects at given or drawn places, the agent.
//
//   Level level = blank_level(8, 8, {.max_steps = 256, .mission = "get to the green goal square"});
//   LevelBuilder build(level, random);
//   build.outer_walls();
//   build.put({6, 6}, kGoalCell);
//   build.place_agent(whole(level.start.grid));
//
// The order of the draws is the reference's: one more or one less makes other levels.
#pragma once

#include <limits>
#include <string_view>

#include "plr/minigrid/level.h"
#include "plr/minigrid/level_random.h"
#include "plr/minigrid/place.h"

namespace plr::minigrid {

struct LevelFacts {
  int max_steps = 0;
  std::string_view mission = {};
  Rules rules = Rules::kReachGoal;
};

// Empty cells, and no agent yet.
Level blank_level(int width, int height, const LevelFacts& facts);

class LevelBuilder {
 public:
  static constexpr int kForever = std::numeric_limits<int>::max() - 1;

  // Both must outlive the builder.
  LevelBuilder(Level& level, LevelRandom& random)
      : level_(level), state_(level.start), random_(random) {}

  Level& level() { return level_; }
  State& state() { return state_; }
  Grid& grid() { return state_.grid; }
  LevelRandom& random() { return random_; }

  void put(Position p, Cell cell, BoxContent content = {}) { grid().set(p, cell, content); }

  // `length` cells to the right of `from`, or below it.
  void row(Position from, int length, Cell cell = kWallCell);
  void column(Position from, int length, Cell cell = kWallCell);
  void wall_rectangle(const Region& outline);
  void outer_walls() { wall_rectangle(whole(grid())); }

  // A cell within `region` that is free and that `reject` lets pass; the object is put there.
  // Throws std::runtime_error after max_tries + 1 failures.
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

  // At a free cell of the region, looking anywhere.
  void place_agent(const Region& region, int max_tries = kForever);
  void put_agent(Position p, Direction direction);

 private:
  [[noreturn]] static void fail_to_place();

  Level& level_;
  State& state_;
  LevelRandom& random_;
};

}  // namespace plr::minigrid
