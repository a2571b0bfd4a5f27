// Writes images as an animated GIF.
//
//   write_gif("episode.gif", frames, {.milliseconds = 150, .last_milliseconds = 2000});
//
// The animation loops.  GIF has 256 colors: frames with at most that many are stored exactly,
// others approximately (palette.h).  Each frame stores only the rectangle that changed.  Stateless:
// thread-safe for distinct paths.
#pragma once

#include <filesystem>
#include <span>

#include "plr/image/image.h"

namespace plr::image {

// Rounded to multiples of ten; browsers show frames of less than 20 ms more slowly.
struct GifTiming {
  int milliseconds = 150;        // of a frame
  int last_milliseconds = 2000;  // of the last one
};

// Writes a temporary file and renames it.  Throws std::invalid_argument if there is no frame or the
// sizes of frames differ; std::runtime_error with path and cause, also if plr was built without
// giflib, with the package to install.
void write_gif(const std::filesystem::path& path, std::span<const Image> frames,
               const GifTiming& timing = {});

}  // namespace plr::image
