// Pictures of tiles and small images as lines of text, for terminals with and without colors.
//
// In color a tile is two characters wide; otherwise it is one letter.
//
// Free functions without state; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "plr/image/image.h"
#include "plr/image/text_picture.h"
#include "plr/terminal/screen.h"

namespace plr::viewer {

// Lines of text and the number of columns that a terminal shows of them.
struct TextArt {
  std::vector<std::string> lines;
  int width = 0;
};

// One line per row of tiles.
TextArt text_art(const image::TextPicture& picture, terminal::Colors colors);

// Two rows of pixels per line, one character per column; no lines without colors.
TextArt text_art(const image::Image& image, terminal::Colors colors);

// The meaning of the letters or symbols of a picture.
std::string legend_text(const image::Legend& legend, terminal::Colors colors);

// `line` without the spaces at its end.
std::string trimmed(const std::string& line);

}  // namespace plr::viewer
