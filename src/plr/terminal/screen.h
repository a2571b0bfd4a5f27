// What standard output can show: colors, width and height.
//
// Free functions that ask the system at each call; thread-safe.
#pragma once

#include <cstdint>

namespace plr::terminal {

enum class Colors : std::uint8_t {
  kNone,
  k256,   // nearly every terminal
  kTrue,  // 24 bits
};

// The colors of standard output: none if it is not a terminal or if the environment variable
// NO_COLOR is set (https://no-color.org).
Colors screen_colors();

// Columns and lines of the terminal at standard output; 80 x 24 if it is not a terminal.
int screen_width();
int screen_height();

}  // namespace plr::terminal
