// A random free cell of a region, drawn as minigrid's place_obj does: x, then y, until the cell is
// empty, is not the agent's, and is not rejected by the caller.
//
// Free functions and plain structs without shared state: thread-safe.
#pragma once

#include <algorithm>
#include <optional>

#include "plr/minigrid/level.h"

namespace plr::minigrid {

struct Region {
  Position top;  // the upper left corner; may lie outside the grid
  int width = 0;
  int height = 0;
};

inline Region whole(const Grid& grid) { return {{0, 0}, grid.width(), grid.height()}; }

// Draws at most max_tries + 1 times, as the reference does; nothing if all draws fail.
template <class Random, class Reject>
std::optional<Position> free_cell(const State& state, const Region& region, int max_tries,
                                  Random& random, Reject reject) {
  const Position low = {std::max(region.top.x, 0), std::max(region.top.y, 0)};
  const Position high = {std::min(low.x + region.width, state.grid.width()),
                         std::min(low.y + region.height, state.grid.height())};
  for (int tries = 0; tries <= max_tries; ++tries) {
    Position p;
    p.x = random.integer(low.x, high.x);
    p.y = random.integer(low.y, high.y);
    if (state.grid.is_empty(p) && p != state.agent && !reject(p)) return p;
  }
  return std::nullopt;
}

}  // namespace plr::minigrid
