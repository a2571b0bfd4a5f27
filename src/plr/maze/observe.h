// Observations of the maze: the agent's view, or the whole maze.
//
// A view shows the V x V cells in front of the agent, V odd; walls hide nothing.  The agent is in
// the middle of the near edge and looks up:
//
//   image[i][j] = cell at  agent + forward * (V - 1 - j) + right * (i - V / 2)
//
// i from its left to its right, j from far to near.  A cell has four bytes: MiniGrid's (kind,
// color, state), that is floor (1, 0, 0), wall (2, 5, 0), goal (8, 1, 0), and the agent's direction
// 0..3, equal in all cells.  The direction is not part of the image: bytes [.., .., 0:3] are the
// image of JaxUED, and byte 3 of any cell is its `agent_dir`.
//
//   std::vector<std::uint8_t> image(view_bytes(5));
//   observe_view(level, state, {.side = 5}, image);
//
// The view of 5 x 5 cells takes about 10 ns, others about 1 ns per cell.  Does not allocate.
// Stateless: thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "plr/maze/level.h"

namespace plr::maze {

inline constexpr int kCellBytes = 4;  // of a view
inline constexpr int kStandardSide = 5;

struct View {
  int side = kStandardSide;  // odd, at least 1
  bool see_agent = false;    // its own cell shows (10, 0, direction) instead of floor
};

inline std::size_t view_bytes(int side) {
  return static_cast<std::size_t>(side) * static_cast<std::size_t>(side) * kCellBytes;
}

// Writes [side, side, 4].  REQUIRES: out.size() == view_bytes(view.side).
void observe_view(const Level& level, const State& state, const View& view,
                  std::span<std::uint8_t> out);

// Writes [width, height, 3]: x slow, the agent's cell is (10, 0, direction), as MiniGrid's full
// observation.  Cells outside of a smaller level are walls.
// REQUIRES: out.size() == width * height * 3.
void observe_full(const Level& level, const State& state, int width, int height,
                  std::span<std::uint8_t> out);

// The position in the maze, or outside of it, of the cell (i, j) of a view.
Position seen_position(const State& state, int side, int i, int j);

}  // namespace plr::maze
