// MiniGrid in characters: the letters of picture.h and colored symbols for terminals.
//
//   const TextPicture picture = text_picture(whole_map(level, state));
//
// Free functions without state: thread-safe.
#pragma once

#include "plr/image/text_picture.h"
#include "plr/minigrid/tile_map.h"

namespace plr::minigrid {

image::TextPicture text_picture(const TileMap& map);

image::Legend text_legend();

}  // namespace plr::minigrid
