#include "app/terminal_art.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace plr::app {
namespace {

constexpr image::Rgb kBlack = {0, 0, 0};

// The nearest color of the 6 x 6 x 6 cube that terminals have as 16..231.
int cube_color(image::Rgb color) {
  const auto level = [](std::uint8_t c) { return (c * 5 + 127) / 255; };
  return 16 + 36 * level(color.red) + 6 * level(color.green) + level(color.blue);
}

std::string color_code(int layer, image::Rgb color, TerminalColors colors) {
  if (colors == TerminalColors::k256) return fmt::format("{};5;{}", layer, cube_color(color));
  return fmt::format("{};2;{};{};{}", layer, color.red, color.green, color.blue);
}

std::string painted(const image::Glyph& glyph, TerminalColors colors) {
  return fmt::format("\x1b[{};{}m{}\x1b[0m", color_code(38, glyph.ink, colors),
                     color_code(48, glyph.paper, colors), glyph.symbol);
}

winsize terminal_size() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    return size;
  }
  return {.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
}

}  // namespace

TerminalColors terminal_colors() {
  const char* no_color = std::getenv("NO_COLOR");
  const bool refused = no_color != nullptr && *no_color != '\0';
  if (refused || isatty(STDOUT_FILENO) == 0) return TerminalColors::kNone;
  const char* depth = std::getenv("COLORTERM");
  const std::string_view text = depth == nullptr ? "" : depth;
  return text == "truecolor" || text == "24bit" ? TerminalColors::kTrue : TerminalColors::k256;
}

int terminal_width() { return terminal_size().ws_col; }
int terminal_height() { return terminal_size().ws_row; }

std::vector<std::string> terminal_art(const image::TextPicture& picture, TerminalColors colors) {
  std::vector<std::string> lines;
  for (int y = 0; y < picture.height; ++y) {
    std::string& line = lines.emplace_back();
    for (int x = 0; x < picture.width; ++x) {
      const image::Glyph& glyph = picture.at(x, y);
      if (colors == TerminalColors::kNone) {
        line += glyph.letter;
      } else {
        line += painted(glyph, colors);
      }
    }
  }
  return lines;
}

std::vector<std::string> terminal_art(const image::Image& picture, TerminalColors colors) {
  std::vector<std::string> lines;
  if (colors == TerminalColors::kNone) return lines;
  for (int y = 0; y < picture.height(); y += 2) {
    std::string& line = lines.emplace_back();
    for (int x = 0; x < picture.width(); ++x) {
      const image::Pixel below = {x, y + 1};
      const image::Rgb paper = picture.contains(below) ? picture.at(below) : kBlack;
      line += painted({' ', "▀", picture.at({x, y}), paper}, colors);
    }
  }
  return lines;
}

std::string trimmed(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

std::string terminal_legend(const image::Legend& legend, TerminalColors colors) {
  if (colors == TerminalColors::kNone) return legend.letters;
  std::string text;
  for (const image::Legend::Entry& entry : legend.symbols) {
    text += painted(entry.glyph, colors) + " " + entry.meaning + "   ";
  }
  return text;
}

}  // namespace plr::app
