// Uniform draws from the floor cells of a maze.
//
// Takes time proportional to the number of cells.  Stateless: thread-safe for distinct streams.
#pragma once

#include <cassert>

#include "plr/base/random.h"
#include "plr/maze/walls.h"

namespace plr::maze {

// A floor cell that is not rejected, each with equal probability.
// REQUIRES: there is one.
template <class Reject>
Position random_floor(const Walls& walls, Random& random, Reject reject) {
  const auto for_each_free = [&](auto visit) {
    for (int y = 0; y < walls.height(); ++y) {
      for (int x = 0; x < walls.width(); ++x) {
        const Position p = {x, y};
        if (!walls.at_or_beside(p) && !reject(p)) visit(p);
      }
    }
  };
  std::uint64_t count = 0;
  for_each_free([&](Position) { ++count; });
  assert(count > 0);
  std::uint64_t left = random.below(count);
  Position drawn;
  for_each_free([&](Position p) {
    if (left-- == 0) drawn = p;
  });
  return drawn;
}

inline Position random_floor(const Walls& walls, Random& random) {
  return random_floor(walls, random, [](Position) { return false; });
}

}  // namespace plr::maze
