#include "plr/image/png.h"

#include <stdexcept>
#include <string>

#ifdef PLR_HAS_PNG
#include <png.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#endif

namespace plr {

#ifndef PLR_HAS_PNG

void write_png(const std::filesystem::path& path, const Image&) {
  throw std::runtime_error("cannot write " + path.string() +
                           ": built without libpng; install libpng-dev and build again");
}

#else

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& cause) {
  throw std::runtime_error("cannot write " + path.string() + ": " + cause);
}

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
    fail(path, header.message);
  }
  bytes.resize(size);
  return bytes;
}

bool write_all(std::FILE* file, const std::string& bytes) {
  const bool written =
      std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fflush(file) == 0;
  return std::fclose(file) == 0 && written;
}

}  // namespace

void write_png(const std::filesystem::path& path, const Image& image) {
  const std::string bytes = encoded(path, image);
  std::filesystem::path aside = path;
  aside += ".part" + std::to_string(getpid());
  std::FILE* file = std::fopen(aside.c_str(), "wbx");
  if (file == nullptr) fail(path, std::strerror(errno));
  std::error_code error;
  if (!write_all(file, bytes)) {
    error.assign(errno, std::generic_category());
  } else {
    std::filesystem::rename(aside, path, error);
  }
  if (!error) return;
  std::error_code ignored;
  std::filesystem::remove(aside, ignored);
  fail(path, error.message());
}

#endif

}  // namespace plr
