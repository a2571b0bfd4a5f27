// Writes an image as a PNG file.  Stateless: thread-safe for distinct paths.
#pragma once

#include <filesystem>
#include <string>

#include "plr/image/image.h"

namespace plr::image {

// Writes a temporary file and renames it, so that the file is complete or absent.  Throws
// std::runtime_error with path and cause, also if plr was built without libpng, with the package to
// install.
void write_png(const std::filesystem::path& path, const Image& image);

// The bytes of such a file; empty if plr was built without libpng.
std::string png_bytes(const Image& image);

}  // namespace plr::image
