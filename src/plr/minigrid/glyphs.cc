#include "plr/minigrid/glyphs.h"

#include <array>
#include <cstdint>
#include <string_view>

#include "plr/minigrid/picture.h"

namespace plr::minigrid {
namespace {

constexpr image::Rgb kFloor = {16, 16, 16};
constexpr image::Rgb kWall = {110, 110, 110};
constexpr image::Rgb kUnseen = {48, 48, 48};
constexpr image::Rgb kGoal = {0, 200, 0};
constexpr image::Rgb kLava = {255, 128, 0};
constexpr image::Rgb kBlack = {0, 0, 0};
constexpr image::Rgb kAgent = {255, 60, 60};

// Brighter than in rendered pictures, so that thin lines are visible on black.
image::Rgb ink_of(Color color) {
  constexpr std::array<image::Rgb, 6> kInks = {{{255, 80, 80},
                                                {80, 230, 80},
                                                {100, 150, 255},
                                                {190, 120, 255},
                                                {250, 220, 60},
                                                {180, 180, 180}}};
  return kInks[static_cast<std::size_t>(color)];
}

image::Glyph glyph_of(Cell cell) {
  const char l = letter(cell);
  const image::Rgb ink = ink_of(cell.color);
  switch (cell.kind) {
    case Kind::kUnseen:
      return {l, "  ", kBlack, kUnseen};
    case Kind::kWall:
      return {l, "  ", kBlack, kWall};
    case Kind::kGoal:
      return {l, "  ", kBlack, kGoal};
    case Kind::kLava:
      return {l, "~~", kBlack, kLava};
    case Kind::kFloor:
      return {l, "..", ink, kFloor};
    case Kind::kDoor:
      if (cell == door(cell.color, DoorState::kLocked)) return {l, "[]", kBlack, ink};
      return {l, cell.is_open_door() ? "::" : "[]", ink, kFloor};
    case Kind::kKey:
      return {l, "k ", ink, kFloor};
    case Kind::kBall:
      return {l, "● ", ink, kFloor};
    case Kind::kBox:
      return {l, "▣ ", ink, kFloor};
    case Kind::kEmpty:
    case Kind::kAgent:
      break;
  }
  return {l, "  ", ink, kFloor};
}

// The agent is drawn on the color of the cell below it.
image::Glyph glyph_of(const Tile& tile) {
  image::Glyph glyph = glyph_of(tile.cell);
  if (tile.agent) {
    constexpr std::array<std::string_view, 4> kAgents = {"▶ ", "▼ ", "◀ ", "▲ "};
    glyph.letter = letter({Kind::kAgent, Color::kRed, static_cast<std::uint8_t>(*tile.agent)});
    glyph.symbol = kAgents[static_cast<std::size_t>(*tile.agent)];
    glyph.ink = kAgent;
  }
  return glyph;
}

}  // namespace

image::TextPicture text_picture(const TileMap& map) {
  image::TextPicture picture{.width = map.width, .height = map.height, .glyphs = {}};
  picture.glyphs.reserve(map.tiles.size());
  for (const Tile& tile : map.tiles) picture.glyphs.push_back(glyph_of(tile));
  return picture;
}

image::Legend text_legend() {
  constexpr Color kSample = Color::kYellow;
  return {.letters =
              "# wall   > v < ^ agent   G goal   ~ lava   + _ door, closed or open\n"
              "r n b p y e key, R N B P Y E locked door: red, green, blue, purple, yellow, grey\n"
              "o ball   ? box   : unseen",
          .symbols = {{glyph_of(Tile{.cell = {}, .agent = Direction::kRight}), "agent"},
                      {glyph_of(kGoalCell), "goal"},
                      {glyph_of(kLavaCell), "lava"},
                      {glyph_of(door(kSample, DoorState::kOpen)), "open"},
                      {glyph_of(door(kSample, DoorState::kClosed)), "closed"},
                      {glyph_of(door(kSample, DoorState::kLocked)), "locked"},
                      {glyph_of(key(kSample)), "key"},
                      {glyph_of(ball(kSample)), "ball"},
                      {glyph_of(box(kSample)), "box"}}};
}

}  // namespace plr::minigrid
