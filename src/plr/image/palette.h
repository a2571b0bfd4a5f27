// Which few colors show a set of pictures best?
//
// All of them where there are few enough; otherwise those of median cut (Heckbert 1982): the colors
// lie in a box, the box that spreads most pixels widest is cut in two at its median, and so on;
// each box is shown as its mean.
//
//   const Palette palette(frames, 256);
//   palette.colors()[palette.index_of(frames[0].at({3, 4}))];   // that pixel, or nearly
//
// A value type.  Not synchronized: index_of remembers what it has looked up.
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
  // At least one picture and one color.
  Palette(std::span<const Image> pictures, std::size_t max_colors);

  const std::vector<Rgb>& colors() const { return colors_; }

  // Every color of the pictures is in the palette.
  bool is_exact() const { return is_exact_; }

  // Of the color nearest to it.
  std::size_t index_of(Rgb color);

 private:
  std::vector<Rgb> colors_;
  bool is_exact_ = true;
  std::unordered_map<std::uint32_t, std::size_t> indices_;
};

}  // namespace plr::image
