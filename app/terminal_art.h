// How does one look at a level in a terminal?
//
// In color two characters per tile, otherwise the letters of minigrid/picture.h, one per tile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plr/image/image.h"
#include "plr/minigrid/tile_map.h"

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
std::vector<std::string> terminal_art(const minigrid::TileMap& map, TerminalColors colors);

// Two rows of pixels per line, one character per column; nothing without colors.
std::vector<std::string> terminal_art(const Image& picture, TerminalColors colors);

// Without the spaces at its end.
std::string trimmed(const std::string& line);

// What the characters mean, in one line.
std::string terminal_legend(TerminalColors colors);

}  // namespace plr::app
