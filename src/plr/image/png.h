// How does a picture become a file?
#pragma once

#include <filesystem>
#include <string>

#include "plr/image/image.h"

namespace plr::image {

// Writes aside and renames: the file is there whole or not at all.  Throws std::runtime_error with
// path and cause; also where plr was built without libpng, saying what to install.
void write_png(const std::filesystem::path& path, const Image& image);

// The bytes of such a file, or nothing where plr was built without libpng.
std::string png_bytes(const Image& image);

}  // namespace plr::image
