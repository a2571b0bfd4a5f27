// Uniform draws from the floor cells of a maze.
//
// Draws cells until one is accepted: expected time is proportional to cells / accepted cells.
// Stateless: thread-safe for distinct streams.
#pragma once

#include "plr/base/random.h"
#include "plr/maze/walls.h"

namespace plr::maze {

// A floor cell that is not rejected, each with equal probability.
// REQUIRES: there is one.
template <class Reject>
Position random_floor(const Walls& walls, Random& random, Reject reject) {
  for (;;) {
    const auto cell = static_cast<int>(random.below(static_cast<std::uint64_t>(walls.num_cells())));
    const Position p = {cell % walls.width(), cell / walls.width()};
    if (!walls.at_or_beside(p) && !reject(p)) return p;
  }
}

inline Position random_floor(const Walls& walls, Random& random) {
  return random_floor(walls, random, [](Position) { return false; });
}

}  // namespace plr::maze
