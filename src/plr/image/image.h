// An image: a rectangle of RGB pixels, stored row by row from the top left corner.
//
// png.h and gif.h write images to files, text.h draws text on them.
//
//   Image picture(64, 32, {255, 255, 255});
//   picture.paste(tile, {32, 0});
//
// Copyable.  Concurrent reads are safe; writes are not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plr::image {

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};
static_assert(sizeof(Rgb) == 3, "a row of pixels is a row of bytes");

struct Pixel {
  int x = 0;
  int y = 0;
};

class Image {
 public:
  Image() = default;
  // Throws std::invalid_argument unless both sides are 1..kMaxSide.
  Image(int width, int height, Rgb color = {});

  static constexpr int kMaxSide = 32'768;

  int width() const { return width_; }
  int height() const { return height_; }

  bool contains(Pixel p) const { return p.x >= 0 && p.x < width_ && p.y >= 0 && p.y < height_; }
  Rgb at(Pixel p) const { return pixels_[index(p)]; }
  void set(Pixel p, Rgb color) { pixels_[index(p)] = color; }

  // Copies `other` so that its upper left corner is at `corner`; clips at the edges.
  void paste(const Image& other, Pixel corner);

  std::span<const Rgb> row(int y) const {
    return std::span(pixels_).subspan(index({0, y}), static_cast<std::size_t>(width_));
  }

  friend bool operator==(const Image&, const Image&) = default;

 private:
  std::size_t index(Pixel p) const {
    return static_cast<std::size_t>(p.y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(p.x);
  }

  int width_ = 0;
  int height_ = 0;
  std::vector<Rgb> pixels_;  // [height, width]
};

}  // namespace plr::image
