// Observations of a state: the whole grid or the agent's view.
//
// observe_full() is minigrid's FullyObsWrapper; observe_view() is minigrid's default: the 7 x 7
// cells in front of the agent that walls and closed doors do not hide.  Both write bytes (kind,
// color, state) per cell, column by column, into the caller's memory:
//
//   std::vector<std::uint8_t> image(full_size(state.grid));
//   observe_full(state, image);
//
// Stateless: thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "plr/minigrid/level.h"

namespace plr::minigrid {

inline constexpr int kViewSide = 7;
inline constexpr std::size_t kViewBytes = kViewSide * kViewSide * sizeof(Cell);

// Bytes of the full observation.
inline std::size_t full_size(const Grid& grid) {
  return static_cast<std::size_t>(grid.num_cells()) * sizeof(Cell);
}

// Writes [width, height, 3].  The agent's cell shows only the agent, not the object it carries.
// REQUIRES: out.size() == full_size(state.grid).
void observe_full(const State& state, std::span<std::uint8_t> out);

// Writes [7, 7, 3]: i from the agent's left to its right, j from far to near.  The agent is at
// (3, 6); that cell shows the object it carries.
// REQUIRES: out.size() == kViewBytes.
void observe_view(const Level& level, const State& state, std::span<std::uint8_t> out);

}  // namespace plr::minigrid
