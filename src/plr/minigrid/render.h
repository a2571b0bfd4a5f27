// Renders a state in pixels, as minigrid does: black floor with grey lines, grey walls, a green
// goal, orange lava with waves, doors, keys, balls and boxes in their colors, the agent as a red
// triangle.
//
//   const Image picture = render(whole_map(level, level.start), {.tile_size = 32});
//   write_png("level.png", picture);                         // image/png.h
//
// Every pixel equals that of minigrid's render() (tests/oracle/).  Stateless: thread-safe.
#pragma once

#include "plr/image/image.h"
#include "plr/minigrid/tile_map.h"

namespace plr::minigrid {

struct RenderOptions {
  int tile_size = 32;      // pixels
  bool highlight = false;  // brightens the cells that the agent sees
};

// Throws std::invalid_argument unless tile_size is 1..256.
image::Image render(const TileMap& map, const RenderOptions& options = {});

// The color in pictures.
image::Rgb rgb_of(Color color);

}  // namespace plr::minigrid
