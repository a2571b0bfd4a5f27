// How does one write on a picture?
//
// In small letters, 5 pixels wide and 7 above the line, times a scale.  Characters that the font
// lacks are drawn as a small box.
//
//   draw_text(picture, {4, 4}, "seed 12", {.color = {40, 40, 40}, .scale = 2});
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plr/image/image.h"

namespace plr::image {

struct TextStyle {
  Rgb color = {};
  int scale = 1;
};

// What a character takes, with the space behind it, and what a line takes.
inline constexpr int kCharacterWidth = 6;
inline constexpr int kLineHeight = 11;

// The left upper corner of the first letter is at `corner`; what sticks out is left away.
void draw_text(Image& image, Pixel corner, std::string_view text, const TextStyle& style);

// Lines of at most `max_characters`, broken between words where that is possible.
std::vector<std::string> wrapped(std::string_view text, std::size_t max_characters);

}  // namespace plr::image
