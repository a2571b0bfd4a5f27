// Horizontal bars of block characters, with a resolution of one eighth of a character.
//
//   block_bar(0.5, 4)             // "██"
//   block_bar(0.3, 4)             // "█▎"
//   display_width("█▎")           // 2
//
// Free functions without state; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace plr::terminal {

// A bar that fills `fraction` of `width` characters, without padding on the right.
// REQUIRES: 0 <= fraction <= 1.
std::string block_bar(double fraction, int width);

// The number of characters that a terminal shows for UTF-8 text without control sequences, if each
// of them is one column wide.
int display_width(std::string_view text);

// `text` padded with spaces on the right to `width` columns.
std::string padded(const std::string& text, int width);

}  // namespace plr::terminal
