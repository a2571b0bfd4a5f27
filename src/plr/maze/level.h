// The data of an episode in the maze: a constant Level and a State that every step changes.
//
//   const Level level = parse_level("...\n"        // text_form.h
//                                   ".#.\n"
//                                   ">#G\n");
//   State state = start_of(level);
//   const StepResult result = step(level, {}, state, Action::kForward);   // step.h
//
// The maze is that of JaxUED: a grid without a border, outside of which everything is wall.  x
// grows to the right, y downwards, from (0, 0); the index of a cell is y * width + x.  Directions
// and cell codes are those of MiniGrid (minigrid/grid.h).
//
// Plain values, copyable by memcpy.  Threads may share a Level; a State belongs to one thread at a
// time.
#pragma once

#include <cstdint>

#include "plr/maze/walls.h"
#include "plr/minigrid/grid.h"

namespace plr::maze {

using minigrid::Direction;
using minigrid::offset;
using minigrid::turned;

// A level is well formed if agent and goal are on different floor cells.  Two levels are the same
// if all fields are equal.
struct Level {
  Walls walls;
  Position goal;
  Position agent;  // at the start
  Direction direction = Direction::kRight;

  int width() const { return walls.width(); }
  int height() const { return walls.height(); }
  int num_cells() const { return walls.num_cells(); }
  Position cell(int index) const { return {index % width(), index / width()}; }
  int index(Position p) const { return p.y * width() + p.x; }

  friend bool operator==(const Level&, const Level&) = default;
};

struct State {
  Position agent;
  Direction direction = Direction::kRight;
  std::int32_t time = 0;  // steps taken

  Position front() const { return agent + offset(direction); }
  friend bool operator==(const State&, const State&) = default;
};

inline State start_of(const Level& level) { return {level.agent, level.direction, 0}; }

// The reason why a level is not well formed, or null.
const char* defect_of(const Level& level);

}  // namespace plr::maze
