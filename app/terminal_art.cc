#include "app/terminal_art.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "plr/minigrid/picture.h"

namespace plr::app {
namespace {

using minigrid::Cell;
using minigrid::Color;
using minigrid::DoorState;
using minigrid::Kind;
using minigrid::Tile;

constexpr Rgb kFloor = {16, 16, 16};
constexpr Rgb kWall = {110, 110, 110};
constexpr Rgb kUnseen = {48, 48, 48};
constexpr Rgb kGoal = {0, 200, 0};
constexpr Rgb kLava = {255, 128, 0};
constexpr Rgb kBlack = {0, 0, 0};
constexpr Rgb kAgent = {255, 60, 60};

// Two characters and their colors.
struct Glyph {
  std::string_view text;
  Rgb ink;
  Rgb paper;
};

// Brighter than in pictures, so that thin lines show on black.
Rgb ink_of(Color color) {
  constexpr std::array<Rgb, 6> kInks = {{{255, 80, 80},
                                         {80, 230, 80},
                                         {100, 150, 255},
                                         {190, 120, 255},
                                         {250, 220, 60},
                                         {180, 180, 180}}};
  return kInks[static_cast<std::size_t>(color)];
}

Glyph glyph_of(Cell cell) {
  const Rgb ink = ink_of(cell.color);
  switch (cell.kind) {
    case Kind::kUnseen:
      return {"  ", kBlack, kUnseen};
    case Kind::kWall:
      return {"  ", kBlack, kWall};
    case Kind::kGoal:
      return {"  ", kBlack, kGoal};
    case Kind::kLava:
      return {"~~", kBlack, kLava};
    case Kind::kFloor:
      return {"..", ink, kFloor};
    case Kind::kDoor:
      if (cell == door(cell.color, DoorState::kLocked)) return {"[]", kBlack, ink};
      return {cell.is_open_door() ? "::" : "[]", ink, kFloor};
    case Kind::kKey:
      return {"k ", ink, kFloor};
    case Kind::kBall:
      return {"● ", ink, kFloor};
    case Kind::kBox:
      return {"▣ ", ink, kFloor};
    case Kind::kEmpty:
    case Kind::kAgent:
      break;
  }
  return {"  ", ink, kFloor};
}

// The agent stands on the color of what is below it.
Glyph glyph_of(const Tile& tile) {
  Glyph glyph = glyph_of(tile.cell);
  if (tile.agent) {
    constexpr std::array<std::string_view, 4> kAgents = {"▶ ", "▼ ", "◀ ", "▲ "};
    glyph.text = kAgents[static_cast<std::size_t>(*tile.agent)];
    glyph.ink = kAgent;
  }
  return glyph;
}

// The nearest color of the 6 x 6 x 6 cube that terminals have as 16..231.
int cube_color(Rgb color) {
  const auto level = [](std::uint8_t c) { return (c * 5 + 127) / 255; };
  return 16 + 36 * level(color.red) + 6 * level(color.green) + level(color.blue);
}

std::string color_code(int layer, Rgb color, TerminalColors colors) {
  if (colors == TerminalColors::k256) return fmt::format("{};5;{}", layer, cube_color(color));
  return fmt::format("{};2;{};{};{}", layer, color.red, color.green, color.blue);
}

std::string painted(const Glyph& glyph, TerminalColors colors) {
  return fmt::format("\x1b[{};{}m{}\x1b[0m", color_code(38, glyph.ink, colors),
                     color_code(48, glyph.paper, colors), glyph.text);
}

char plain_letter(const Tile& tile) {
  if (!tile.agent) return minigrid::letter(tile.cell);
  return minigrid::letter({Kind::kAgent, Color::kRed, static_cast<std::uint8_t>(*tile.agent)});
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

std::vector<std::string> terminal_art(const minigrid::TileMap& map, TerminalColors colors) {
  std::vector<std::string> lines;
  for (int y = 0; y < map.height; ++y) {
    std::string& line = lines.emplace_back();
    for (int x = 0; x < map.width; ++x) {
      const Tile& tile = map.at({x, y});
      if (colors == TerminalColors::kNone) {
        line += plain_letter(tile);
      } else {
        line += painted(glyph_of(tile), colors);
      }
    }
  }
  return lines;
}

std::vector<std::string> terminal_art(const Image& picture, TerminalColors colors) {
  std::vector<std::string> lines;
  if (colors == TerminalColors::kNone) return lines;
  for (int y = 0; y < picture.height(); y += 2) {
    std::string& line = lines.emplace_back();
    for (int x = 0; x < picture.width(); ++x) {
      const Pixel below = {x, y + 1};
      const Rgb paper = picture.contains(below) ? picture.at(below) : kBlack;
      line += painted({"▀", picture.at({x, y}), paper}, colors);
    }
  }
  return lines;
}

std::string trimmed(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

std::string terminal_legend(TerminalColors colors) {
  if (colors == TerminalColors::kNone) {
    return "# wall   > v < ^ agent   G goal   ~ lava   + _ door, closed or open\n"
           "r n b p y e key, R N B P Y E locked door: red, green, blue, purple, yellow, grey\n"
           "o ball   ? box   : unseen";
  }
  const auto shown = [&](Cell cell, const char* meaning) {
    return painted(glyph_of(cell), colors) + " " + meaning + "   ";
  };
  constexpr Color kSample = Color::kYellow;
  return painted(glyph_of(Tile{.cell = {}, .agent = minigrid::Direction::kRight}), colors) +
         " agent   " + shown(minigrid::kGoalCell, "goal") + shown(minigrid::kLavaCell, "lava") +
         shown(door(kSample, DoorState::kOpen), "open") +
         shown(door(kSample, DoorState::kClosed), "closed") +
         shown(door(kSample, DoorState::kLocked), "locked") + shown(minigrid::key(kSample), "key") +
         shown(minigrid::ball(kSample), "ball") + shown(minigrid::box(kSample), "box");
}

}  // namespace plr::app
