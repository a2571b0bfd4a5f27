// The tiles of a maze, for the pictures of MiniGrid (minigrid/render.h, minigrid/glyphs.h).
//
//   const image::Image picture = minigrid::render(whole_map(level, state, {.side = 5}));
//
// Stateless: thread-safe.
#pragma once

#include "plr/maze/level.h"
#include "plr/maze/observe.h"
#include "plr/minigrid/tile_map.h"

namespace plr::maze {

// The whole maze; the cells of the view are marked as seen.
minigrid::TileMap whole_map(const Level& level, const State& state, const View& view);

// The cells of the view; the agent looks up.
minigrid::TileMap view_map(const Level& level, const State& state, const View& view);

}  // namespace plr::maze
