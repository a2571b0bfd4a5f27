#include "plr/image/png.h"

#include <string>

#include "plr/base/files.h"

#ifdef PLR_HAS_PNG
#include <png.h>
#endif

namespace plr::image {

#ifndef PLR_HAS_PNG

void write_png(const std::filesystem::path& path, const Image&) {
  fail_to_write(path, "built without libpng; install libpng-dev and build again");
}

std::string png_bytes(const Image&) { return {}; }

#else

namespace {

// The image as the bytes of a PNG file.
std::string encoded(const std::filesystem::path& path, const Image& image) {
  png_image header = {};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width());
  header.height = static_cast<png_uint_32>(image.height());
  header.format = PNG_FORMAT_RGB;
  const void* pixels = image.row(0).data();
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&header, bytes.data(), &size, 0, pixels, 0, nullptr) == 0) {
    fail_to_write(path, header.message);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

void write_png(const std::filesystem::path& path, const Image& image) {
  write_output(path, encoded(path, image), Durability::kUnsynced);
}

std::string png_bytes(const Image& image) { return encoded("a picture", image); }

#endif

}  // namespace plr::image
