// How do pictures become an animation that any browser plays?
//
//   write_gif("episode.gif", frames, {.milliseconds = 150, .last_milliseconds = 2000});
//
// It loops for ever.  GIF knows 256 colors: pictures of no more are shown as they are, others
// nearly so (palette.h).  Each frame stores only the rectangle that changed.
#pragma once

#include <filesystem>
#include <span>

#include "plr/image/image.h"

namespace plr::image {

// In steps of ten; browsers show what is shorter than 20 more slowly.
struct GifTiming {
  int milliseconds = 150;        // of a frame
  int last_milliseconds = 2000;  // of the last one
};

// Writes aside and renames.  Throws std::invalid_argument if there is no frame or one has another
// size than the first; std::runtime_error with path and cause, also where plr was built without
// giflib, saying what to install.
void write_gif(const std::filesystem::path& path, std::span<const Image> frames,
               const GifTiming& timing = {});

}  // namespace plr::image
