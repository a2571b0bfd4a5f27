// A map of the tiles to draw: the content of each cell, the agent, and the cells that it sees.
//
// Both render.h (pixels) and glyphs.h (characters) draw from it:
//
//   const TileMap map = whole_map(level, state);   // or view_map(): what the agent sees
//   map.at({3, 4}).cell;
//
// A plain struct, copyable.  The functions are stateless: thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "plr/minigrid/level.h"

namespace plr::minigrid {

struct Tile {
  Cell cell;
  std::optional<Direction> agent;  // its direction, if it is here
  bool is_seen = false;            // the agent sees this cell
  friend bool operator==(const Tile&, const Tile&) = default;
};

struct TileMap {
  int width = 0;
  int height = 0;
  std::vector<Tile> tiles;  // [height, width]

  Tile& at(Position p) { return tiles[index(p)]; }
  const Tile& at(Position p) const { return tiles[index(p)]; }
  std::size_t index(Position p) const {
    return static_cast<std::size_t>(p.y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(p.x);
  }
};

TileMap whole_map(const Level& level, const State& state);

// The 7 x 7 cells in front of the agent, rotated so that it looks up.  The carried object is not
// shown.
TileMap view_map(const Level& level, const State& state);

}  // namespace plr::minigrid
