// Draws text on an image in a bitmap font.
//
// Letters are 5 pixels wide and 7 pixels high above the baseline, times a scale.  Characters that
// the font lacks are drawn as a small box.  Stateless: thread-safe for distinct images.
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

// The width of a character with the space after it, and the height of a line, at scale 1.
inline constexpr int kCharacterWidth = 6;
inline constexpr int kLineHeight = 11;

// The upper left corner of the first letter is at `corner`; clips at the edges.
void draw_text(Image& image, Pixel corner, std::string_view text, const TextStyle& style);

// Splits the text into lines of at most `max_characters`, between words where possible.
std::vector<std::string> wrapped(std::string_view text, std::size_t max_characters);

}  // namespace plr::image
