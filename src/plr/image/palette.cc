#include "plr/image/palette.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace plr::image {
namespace {

struct Counted {
  std::array<int, 3> color = {};
  std::uint64_t count = 0;
};

std::uint32_t code_of(Rgb color) {
  return static_cast<std::uint32_t>(color.red << 16 | color.green << 8 | color.blue);
}

// Every color with its number of pixels, in an order that depends only on the colors.
std::vector<Counted> counted_colors(std::span<const Image> pictures) {
  std::unordered_map<std::uint32_t, std::uint64_t> counts;
  for (const Image& picture : pictures) {
    for (int y = 0; y < picture.height(); ++y) {
      for (const Rgb pixel : picture.row(y)) ++counts[code_of(pixel)];
    }
  }
  std::vector<Counted> colors;
  for (const auto& [code, count] : counts) {
    const auto byte = [code = code](int shift) { return static_cast<int>(code >> shift & 255); };
    colors.push_back({{byte(16), byte(8), byte(0)}, count});
  }
  std::ranges::sort(colors, {}, &Counted::color);
  return colors;
}

// A box of colors that the palette represents by one.
class Box {
 public:
  explicit Box(std::span<Counted> colors) : colors_(colors) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto on_axis = [axis](const Counted& c) { return c.color[axis]; };
      const auto [low, high] = std::ranges::minmax_element(colors, {}, on_axis);
      if (on_axis(*high) - on_axis(*low) <= side_) continue;
      side_ = on_axis(*high) - on_axis(*low);
      axis_ = axis;
    }
    for (const Counted& c : colors) num_pixels_ += c.count;
  }

  // The approximate error of representing it by one color: pixels times squared length.
  double loss() const { return static_cast<double>(num_pixels_) * side_ * side_; }

  // Splits the longest side at the median pixel.  REQUIRES: at least two colors, so that both
  // halves have one.
  std::array<Box, 2> halves() const {
    std::ranges::stable_sort(colors_, {}, [this](const Counted& c) { return c.color[axis_]; });
    std::size_t first = 0;
    std::uint64_t passed = 0;
    while (passed < (num_pixels_ + 1) / 2) passed += colors_[first++].count;
    first = std::clamp<std::size_t>(first, 1, colors_.size() - 1);
    return {Box(colors_.first(first)), Box(colors_.subspan(first))};
  }

  Rgb mean() const {
    const auto on_axis = [this](std::size_t axis) {
      std::uint64_t sum = num_pixels_ / 2;  // rounds to nearest
      for (const Counted& c : colors_) sum += c.count * static_cast<std::uint64_t>(c.color[axis]);
      return static_cast<std::uint8_t>(sum / num_pixels_);
    };
    return {on_axis(0), on_axis(1), on_axis(2)};
  }

 private:
  std::span<Counted> colors_;
  std::uint64_t num_pixels_ = 0;
  int side_ = 0;
  std::size_t axis_ = 0;
};

std::vector<Box> cut(std::span<Counted> colors, std::size_t max_boxes) {
  std::vector<Box> boxes = {Box(colors)};
  while (boxes.size() < max_boxes) {
    const auto worst = std::ranges::max_element(boxes, {}, &Box::loss);
    if (worst->loss() == 0) break;
    const auto [left, right] = worst->halves();
    *worst = left;
    boxes.push_back(right);
  }
  return boxes;
}

int squared_distance(Rgb a, Rgb b) {
  const int red = a.red - b.red;
  const int green = a.green - b.green;
  const int blue = a.blue - b.blue;
  return red * red + green * green + blue * blue;
}

}  // namespace

// If max_colors suffices, boxes are split until each contains one color.
Palette::Palette(std::span<const Image> pictures, std::size_t max_colors) {
  assert(!pictures.empty() && max_colors > 0);
  std::vector<Counted> counted = counted_colors(pictures);
  is_exact_ = counted.size() <= max_colors;
  for (const Box& box : cut(counted, max_colors)) colors_.push_back(box.mean());
}

std::size_t Palette::index_of(Rgb color) {
  const auto [found, is_new] = indices_.try_emplace(code_of(color), 0);
  if (is_new) {
    const auto nearest = std::ranges::min_element(
        colors_, {}, [color](Rgb c) { return squared_distance(c, color); });
    found->second = static_cast<std::size_t>(nearest - colors_.begin());
  }
  return found->second;
}

}  // namespace plr::image
