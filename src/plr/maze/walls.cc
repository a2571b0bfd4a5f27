#include "plr/maze/walls.h"

#include <algorithm>
#include <bit>

namespace plr::maze {
namespace {

constexpr int kLineBits = 128;

}  // namespace

Walls::Walls(int width, int height, bool filled)
    : width_(static_cast<std::uint8_t>(width)), height_(static_cast<std::uint8_t>(height)) {
  assert(width >= 1 && width <= kMaxSide && height >= 1 && height <= kMaxSide);
  const auto fill = [filled](Lines& lines, int num_lines, int length) {
    std::memset(lines.data(), 0xff, sizeof lines);
    if (filled) return;
    Line open;  // a line of `length` floor cells between borders
    open.fill(0xff);
    for (int cell = 0; cell < length; ++cell) {
      const auto bit = static_cast<std::size_t>(cell + kBorder);
      open[bit / 8] &= static_cast<std::uint8_t>(~(1U << (bit % 8)));
    }
    std::fill_n(lines.begin() + kBorder, num_lines, open);
  };
  fill(rows_, height, width);
  fill(columns_, width, height);
}

int Walls::count() const {
  // Everything outside of the maze is wall.
  int num_bits = 0;
  for (int y = 0; y < height_; ++y) {
    for (const std::uint8_t byte : rows_[static_cast<std::size_t>(y + kBorder)]) {
      num_bits += std::popcount(byte);
    }
  }
  return num_bits - height_ * (kLineBits - width_);
}

}  // namespace plr::maze
