// How are many pictures shown on one page?
//
// In rows of equal columns, each with its caption beneath, under one title.
#pragma once

#include <span>
#include <string>

#include "plr/image/image.h"

namespace plr::image {

struct Captioned {
  Image image;
  std::string caption;  // broken into lines where it is wider than its column
};

struct SheetOptions {
  std::string title;  // broken into lines too
  int num_columns = 4;
};

// `pictures` must not be empty.  Throws std::invalid_argument if the sheet would be too large.
Image sheet(std::span<const Captioned> pictures, const SheetOptions& options);

}  // namespace plr::image
