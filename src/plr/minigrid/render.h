// What does a state look like to people?
//
// As MiniGrid draws it: black floor with grey lines, grey walls, the goal a green square, lava
// orange with waves, doors, keys, balls and boxes in their colors, the agent a red triangle.
//
//   const Image picture = render(whole_map(level, level.start), {.tile_size = 32});
//   write_png("level.png", picture);                         // image/png.h
//
// Pixel by pixel equal to minigrid's own render() (tests/oracle/).  Thread-safe: it touches its
// arguments only.
#pragma once

#include "plr/image/image.h"
#include "plr/minigrid/tile_map.h"

namespace plr::minigrid {

struct RenderOptions {
  int tile_size = 32;      // pixels
  bool highlight = false;  // brightens what the agent sees
};

// Throws std::invalid_argument unless tile_size is 1..256.
image::Image render(const TileMap& map, const RenderOptions& options = {});

// How a color looks.
image::Rgb rgb_of(Color color);

}  // namespace plr::minigrid
