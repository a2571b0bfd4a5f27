// Levels drawn in a terminal.
//
// With colors a tile is two characters wide, without them it is one letter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plr/image/image.h"
#include "plr/image/text_picture.h"

namespace plr::app {

enum class TerminalColors : std::uint8_t {
  kNone,
  k256,   // nearly every terminal
  kTrue,  // 24 bits
};

// What standard output can show: nothing but letters if it is not a terminal or if the user asks
// for no colors (https://no-color.org).
TerminalColors terminal_colors();

// Characters in a line of standard output, and its lines.
int terminal_width();
int terminal_height();

// How many characters wide a tile is.
constexpr int tile_width(TerminalColors colors) { return colors == TerminalColors::kNone ? 1 : 2; }

// One line per row of tiles.
std::vector<std::string> terminal_art(const image::TextPicture& picture, TerminalColors colors);

// Two rows of pixels per line, one character per column; nothing without colors.
std::vector<std::string> terminal_art(const image::Image& picture, TerminalColors colors);

// Without the spaces at its end.
std::string trimmed(const std::string& line);

// What the letters or symbols mean.
std::string terminal_legend(const image::Legend& legend, TerminalColors colors);

}  // namespace plr::app
