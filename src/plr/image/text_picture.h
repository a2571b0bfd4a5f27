// A picture of tiles drawn in characters, for terminals and text files.
//
// Each tile has two forms: a letter for plain text, and a colored symbol two columns wide for
// terminals with colors.
//
//   TextPicture picture{.width = 2, .height = 1, .glyphs = {wall, agent}};
//   picture.at(1, 0).letter;   // '>'
//
// Plain values, copyable.  Concurrent reads are safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plr/image/image.h"

namespace plr::image {

struct Glyph {
  char letter = ' ';               // in plain text
  std::string_view symbol = "  ";  // in color, two columns wide; refers to a string literal
  Rgb ink = {};                    // color of the symbol
  Rgb paper = {};                  // color behind it
};

struct TextPicture {
  int width = 0;
  int height = 0;
  std::vector<Glyph> glyphs;  // [height, width]

  const Glyph& at(int x, int y) const {
    return glyphs[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
};

// What the letters and symbols of a picture mean.
struct Legend {
  struct Entry {
    Glyph glyph;
    std::string meaning;
  };
  std::string letters;         // lines for plain text
  std::vector<Entry> symbols;  // for terminals with colors
};

}  // namespace plr::image
