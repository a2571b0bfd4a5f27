// How does a picture become a file?
#pragma once

#include <filesystem>

#include "plr/image/image.h"

namespace plr {

// Writes aside and renames: the file is there whole or not at all.  Throws std::runtime_error with
// path and cause; also where plr was built without libpng, saying what to install.
void write_png(const std::filesystem::path& path, const Image& image);

}  // namespace plr
