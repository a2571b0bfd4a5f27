// What does the agent see?
//
// Either everything (minigrid's FullyObsWrapper) or the 7 x 7 cells in front of it that walls and
// closed doors do not hide (minigrid's own observation).  Both are written as bytes (kind, color,
// state) per cell, columns first, into memory of the caller:
//
//   std::vector<std::uint8_t> image(full_size(state.grid));
//   observe_full(state, image);
//
// Thread-safe: they touch their arguments only.
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

// [width, height, 3].  The agent's cell shows the agent only; what it carries is not shown.
void observe_full(const State& state, std::span<std::uint8_t> out);

// [7, 7, 3]: i from the agent's left to its right, j from far to near; the agent is at (3, 6),
// where what it carries is shown.
void observe_view(const Level& level, const State& state, std::span<std::uint8_t> out);

}  // namespace plr::minigrid
