#include "plr/image/gif.h"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plr/base/files.h"
#include "plr/image/palette.h"

#ifdef PLR_HAS_GIF
#include <gif_lib.h>
#endif

namespace plr::image {

#ifndef PLR_HAS_GIF

void write_gif(const std::filesystem::path& path, std::span<const Image>, const GifTiming&) {
  fail_to_write(path, "built without giflib; install libgif-dev and build again");
}

#else

namespace {

constexpr std::size_t kMaxColors = 256;

struct Rectangle {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
};

// The smallest rectangle that contains all pixels in which two images differ; one pixel if there
// are none, since a frame cannot be empty.
Rectangle changed(const Image& before, const Image& after) {
  int left = after.width();
  int right = 0;
  int top = after.height();
  int bottom = 0;
  for (int y = 0; y < after.height(); ++y) {
    for (int x = 0; x < after.width(); ++x) {
      if (before.at({x, y}) == after.at({x, y})) continue;
      left = std::min(left, x);
      right = std::max(right, x + 1);
      top = std::min(top, y);
      bottom = std::max(bottom, y + 1);
    }
  }
  if (left >= right) return {0, 0, 1, 1};
  return {left, top, right - left, bottom - top};
}

// A GIF file in memory, written by giflib.
class GifBytes {
 public:
  GifBytes(int width, int height, std::span<const Rgb> colors) {
    int error = 0;
    file_.reset(EGifOpen(&bytes_, append, &error));
    if (file_ == nullptr) throw std::runtime_error(GifErrorString(error));
    EGifSetGifVersion(file_.get(), true);
    check(EGifPutScreenDesc(file_.get(), width, height, 8, 0, color_map(colors).get()));
    loop_for_ever();
  }

  // Adds the part of an image that is drawn over the previous frame.
  void add(const Image& image, const Rectangle& part, int milliseconds, Palette& palette) {
    const GraphicsControlBlock control = {.DisposalMode = DISPOSE_DO_NOT,
                                          .UserInputFlag = false,
                                          .DelayTime = milliseconds / 10,
                                          .TransparentColor = NO_TRANSPARENT_COLOR};
    std::array<GifByteType, 4> block = {};
    EGifGCBToExtension(&control, block.data());
    check(EGifPutExtension(file_.get(), GRAPHICS_EXT_FUNC_CODE, block.size(), block.data()));
    check(EGifPutImageDesc(file_.get(), part.left, part.top, part.width, part.height, false,
                           nullptr));
    std::vector<GifPixelType> line(static_cast<std::size_t>(part.width));
    for (int y = 0; y < part.height; ++y) {
      for (int x = 0; x < part.width; ++x) {
        const Rgb pixel = image.at({part.left + x, part.top + y});
        line[static_cast<std::size_t>(x)] = static_cast<GifPixelType>(palette.index_of(pixel));
      }
      check(EGifPutLine(file_.get(), line.data(), part.width));
    }
  }

  std::string finish() {
    int error = 0;
    if (EGifCloseFile(file_.release(), &error) == GIF_ERROR) {
      throw std::runtime_error(GifErrorString(error));
    }
    return std::move(bytes_);
  }

 private:
  static int append(GifFileType* file, const GifByteType* bytes, int count) {
    static_cast<std::string*>(file->UserData)
        ->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
    return count;
  }

  struct Free {
    void operator()(ColorMapObject* map) const { GifFreeMapObject(map); }
    void operator()(GifFileType* file) const {
      int ignored = 0;
      EGifCloseFile(file, &ignored);
    }
  };

  // The number of entries is rounded up to a power of two; the additional ones are black.
  static std::unique_ptr<ColorMapObject, Free> color_map(std::span<const Rgb> colors) {
    int size = 2;
    while (static_cast<std::size_t>(size) < colors.size()) size *= 2;
    std::unique_ptr<ColorMapObject, Free> map(GifMakeMapObject(size, nullptr));
    if (map == nullptr) throw std::bad_alloc();
    std::ranges::transform(colors, map->Colors, [](Rgb c) {
      return GifColorType{c.red, c.green, c.blue};
    });
    return map;
  }

  // Netscape's extension, which every browser supports; 0 repetitions mean an endless loop.
  void loop_for_ever() {
    constexpr std::array<GifByteType, 3> kRounds = {1, 0, 0};
    check(EGifPutExtensionLeader(file_.get(), APPLICATION_EXT_FUNC_CODE));
    check(EGifPutExtensionBlock(file_.get(), 11, "NETSCAPE2.0"));
    check(EGifPutExtensionBlock(file_.get(), kRounds.size(), kRounds.data()));
    check(EGifPutExtensionTrailer(file_.get()));
  }

  void check(int result) {
    if (result == GIF_ERROR) throw std::runtime_error(GifErrorString(file_->Error));
  }

  std::string bytes_;
  std::unique_ptr<GifFileType, Free> file_;  // also appends to the bytes when it is closed
};

std::string encoded(std::span<const Image> frames, const GifTiming& timing) {
  const int width = frames[0].width();
  const int height = frames[0].height();
  Palette palette(frames, kMaxColors);
  GifBytes gif(width, height, palette.colors());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Rectangle part =
        i == 0 ? Rectangle{0, 0, width, height} : changed(frames[i - 1], frames[i]);
    const bool is_last = i + 1 == frames.size();
    gif.add(frames[i], part, is_last ? timing.last_milliseconds : timing.milliseconds, palette);
  }
  return gif.finish();
}

}  // namespace

void write_gif(const std::filesystem::path& path, std::span<const Image> frames,
               const GifTiming& timing) {
  if (frames.empty()) throw std::invalid_argument("gif: there must be at least one frame");
  for (const Image& frame : frames) {
    if (frame.width() != frames[0].width() || frame.height() != frames[0].height()) {
      throw std::invalid_argument("gif: all frames must have the same size");
    }
  }
  std::string bytes;
  try {
    bytes = encoded(frames, timing);
  } catch (const std::runtime_error& error) {
    fail_to_write(path, error.what());
  }
  write_output(path, bytes, Durability::kUnsynced);
}

#endif

}  // namespace plr::image
