#include "plr/image/png.h"

#include <cstddef>
#include <limits>
#include <string>

#include "plr/base/files.h"

#ifdef PLR_HAS_ZLIB
#include <zlib.h>

#include <cstdlib>

namespace {

// Compresses for stb, which frees the result with std::free.
unsigned char* compressed(unsigned char* data, int size, int* compressed_size, int /*quality*/) {
  uLongf bytes = compressBound(static_cast<uLong>(size));
  auto* result = static_cast<unsigned char*>(std::malloc(bytes));
  if (result == nullptr) return nullptr;
  if (compress2(result, &bytes, data, static_cast<uLong>(size), Z_BEST_COMPRESSION) != Z_OK) {
    std::free(result);
    return nullptr;
  }
  *compressed_size = static_cast<int>(bytes);
  return result;
}

}  // namespace

#define STBIW_ZLIB_COMPRESS compressed
#endif

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb_image_write.h>

namespace plr::image {

std::string png_bytes(const Image& image) {
  std::string bytes;
  const auto append = [](void* context, void* data, int size) {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data),
                                               static_cast<std::size_t>(size));
  };
  constexpr int kChannels = 3;
  // stb computes sizes as int; 0 also stands for memory that it could not allocate.
  const bool fits = static_cast<double>(image.width()) * image.height() * kChannels <
                    std::numeric_limits<int>::max() / 2;
  if (!fits || stbi_write_png_to_func(append, &bytes, image.width(), image.height(), kChannels,
                                      image.row(0).data(), image.width() * kChannels) == 0) {
    return {};
  }
  return bytes;
}

void write_png(const std::filesystem::path& path, const Image& image) {
  const std::string bytes = png_bytes(image);
  if (bytes.empty()) fail_to_write(path, "the picture is too large for a PNG file");
  write_output(path, bytes, Durability::kUnsynced);
}

}  // namespace plr::image
