// A palette of few colors that represents a set of images.
//
// If the images have few enough colors, the palette has all of them.  Otherwise it is computed by
// median cut (Heckbert 1982): starting with one box that contains all colors, the box with the
// largest weighted extent is split at its median pixel until there are enough boxes; the color of a
// box is its mean.
//
//   const Palette palette(frames, 256);
//   palette.colors()[palette.index_of(frames[0].at({3, 4}))];   // that pixel, or the nearest color
//
// Copyable.  Not thread-safe: index_of() caches its results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "plr/image/image.h"

namespace plr::image {

class Palette {
 public:
  // REQUIRES: at least one image, max_colors > 0.
  Palette(std::span<const Image> pictures, std::size_t max_colors);

  const std::vector<Rgb>& colors() const { return colors_; }

  // Whether every color of the images is in the palette.
  bool is_exact() const { return is_exact_; }

  // The index of the nearest color in the palette.
  std::size_t index_of(Rgb color);

 private:
  std::vector<Rgb> colors_;
  bool is_exact_ = true;
  std::unordered_map<std::uint32_t, std::size_t> indices_;
};

}  // namespace plr::image
