#include "plr/terminal/block_bar.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace plr::terminal {

std::string block_bar(double fraction, int width) {
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const long eighths = std::lround(fraction * width * 8);
  std::string text;
  for (long i = 0; i < eighths / 8; ++i) text += "█";
  return text + std::string(kEighths[static_cast<std::size_t>(eighths % 8)]);
}

int display_width(std::string_view text) {
  // Bytes after the first of a UTF-8 sequence are 10xxxxxx.
  const auto starts_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  };
  return static_cast<int>(std::ranges::count_if(text, starts_character));
}

std::string padded(const std::string& text, int width) {
  return text +
         std::string(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
}

}  // namespace plr::terminal
