// Writes an image as a PNG file.  Stateless: thread-safe for distinct paths.
#pragma once

#include <filesystem>
#include <string>

#include "plr/image/image.h"

namespace plr::image {

// Writes a temporary file and renames it, so that the file is complete or absent.  Throws
// std::runtime_error with path and cause.
void write_png(const std::filesystem::path& path, const Image& image);

// The bytes of such a file; empty if the picture is too large (about 350 million pixels).
std::string png_bytes(const Image& image);

}  // namespace plr::image
