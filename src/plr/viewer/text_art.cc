#include "plr/viewer/text_art.h"

#include <fmt/format.h>

#include <cstdint>

namespace plr::viewer {
namespace {

using terminal::Colors;

constexpr image::Rgb kBlack = {0, 0, 0};

// The nearest color of the 6 x 6 x 6 cube, which terminals number 16..231.
int cube_color(image::Rgb color) {
  const auto level = [](std::uint8_t c) { return (c * 5 + 127) / 255; };
  return 16 + 36 * level(color.red) + 6 * level(color.green) + level(color.blue);
}

// `layer` is 38 for the foreground and 48 for the background.
std::string color_code(int layer, image::Rgb color, Colors colors) {
  if (colors == Colors::k256) return fmt::format("{};5;{}", layer, cube_color(color));
  return fmt::format("{};2;{};{};{}", layer, color.red, color.green, color.blue);
}

std::string painted(const image::Glyph& glyph, Colors colors) {
  return fmt::format("\x1b[{};{}m{}\x1b[0m", color_code(38, glyph.ink, colors),
                     color_code(48, glyph.paper, colors), glyph.symbol);
}

}  // namespace

TextArt text_art(const image::TextPicture& picture, Colors colors) {
  TextArt art{.lines = {}, .width = picture.width * (colors == Colors::kNone ? 1 : 2)};
  for (int y = 0; y < picture.height; ++y) {
    std::string& line = art.lines.emplace_back();
    for (int x = 0; x < picture.width; ++x) {
      const image::Glyph& glyph = picture.at(x, y);
      if (colors == Colors::kNone) {
        line += glyph.letter;
      } else {
        line += painted(glyph, colors);
      }
    }
  }
  return art;
}

TextArt text_art(const image::Image& image, Colors colors) {
  TextArt art{.lines = {}, .width = image.width()};
  if (colors == Colors::kNone) return art;
  for (int y = 0; y < image.height(); y += 2) {
    std::string& line = art.lines.emplace_back();
    for (int x = 0; x < image.width(); ++x) {
      const image::Pixel below = {x, y + 1};
      const image::Rgb paper = image.contains(below) ? image.at(below) : kBlack;
      line += painted({' ', "▀", image.at({x, y}), paper}, colors);
    }
  }
  return art;
}

std::string legend_text(const image::Legend& legend, Colors colors) {
  if (colors == Colors::kNone) return legend.letters;
  std::string text;
  for (const image::Legend::Entry& entry : legend.symbols) {
    text += painted(entry.glyph, colors) + " " + entry.meaning + "   ";
  }
  return text;
}

std::string trimmed(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace plr::viewer
