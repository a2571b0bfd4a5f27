// Arranges captioned images in rows of equal columns under a title.  Stateless: thread-safe.
#pragma once

#include <span>
#include <string>

#include "plr/image/image.h"

namespace plr::image {

struct Captioned {
  Image image;
  std::string caption;  // wrapped to the width of its column
};

struct SheetOptions {
  std::string title;  // wrapped to the width of the sheet
  int num_columns = 4;
};

// Throws std::invalid_argument if the sheet would be too large.  REQUIRES: `pictures` is not empty.
Image sheet(std::span<const Captioned> pictures, const SheetOptions& options);

}  // namespace plr::image
