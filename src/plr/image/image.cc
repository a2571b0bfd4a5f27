#include "plr/image/image.h"

#include <stdexcept>
#include <string>

namespace plr::image {
namespace {

// Checks the sides before memory is allocated.
std::size_t num_pixels(int width, int height) {
  for (const int side : {width, height}) {
    if (side < 1 || side > Image::kMaxSide) {
      throw std::invalid_argument("picture: sides must be from 1 to " +
                                  std::to_string(Image::kMaxSide) + " pixels, not " +
                                  std::to_string(width) + " x " + std::to_string(height));
    }
  }
  return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

}  // namespace

Image::Image(int width, int height, Rgb color)
    : width_(width), height_(height), pixels_(num_pixels(width, height), color) {}

void Image::paste(const Image& other, Pixel corner) {
  for (int y = 0; y < other.height(); ++y) {
    for (int x = 0; x < other.width(); ++x) {
      const Pixel p = {corner.x + x, corner.y + y};
      if (contains(p)) set(p, other.at({x, y}));
    }
  }
}

}  // namespace plr::image
