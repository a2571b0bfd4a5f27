// Single pixels checked by hand; the oracle (tests/oracle/) compares whole pictures with
// minigrid's.
#include "plr/minigrid/render.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "plr/minigrid/picture.h"
#include "plr/minigrid/tile_map.h"

namespace plr::minigrid {
namespace {

constexpr image::Rgb kBlack = {0, 0, 0};

Level some_level() {
  return parse_level(
      "######\n"
      "#> G~#\n"
      "#o?rY#\n"
      "#_+ ##\n"
      "######\n");
}

// The pixel at (x, y) of the tile at p, both in 32nds.
image::Rgb pixel(const image::Image& picture, Position p, int x, int y) {
  return picture.at({32 * p.x + x, 32 * p.y + y});
}

TEST(Render, DrawsEveryKindOfObject) {
  const Level level = some_level();
  const image::Image picture = render(whole_map(level, level.start));
  EXPECT_EQ(picture.width(), 6 * 32);
  EXPECT_EQ(picture.height(), 5 * 32);
  EXPECT_EQ(pixel(picture, {0, 0}, 16, 16), rgb_of(Color::kGrey));
  EXPECT_EQ(pixel(picture, {2, 1}, 16, 16), kBlack);
  EXPECT_EQ(pixel(picture, {2, 1}, 0, 16), (image::Rgb{100, 100, 100}));  // a line of the grid
  EXPECT_EQ(pixel(picture, {3, 1}, 16, 16), rgb_of(Color::kGreen));
  EXPECT_EQ(pixel(picture, {4, 1}, 2, 2), (image::Rgb{255, 128, 0}));
  EXPECT_EQ(pixel(picture, {1, 2}, 16, 16), rgb_of(Color::kBlue));
  EXPECT_EQ(pixel(picture, {1, 2}, 4, 4), kBlack);                     // beside the ball
  EXPECT_EQ(pixel(picture, {2, 2}, 16, 16), rgb_of(Color::kGrey));     // the slit of the box
  EXPECT_EQ(pixel(picture, {3, 2}, 18, 22), rgb_of(Color::kRed));      // the shaft of the key
  EXPECT_EQ(pixel(picture, {4, 2}, 8, 8), (image::Rgb{114, 114, 0}));  // 0.45 of yellow
  EXPECT_EQ(pixel(picture, {4, 2}, 0, 8), rgb_of(Color::kYellow));     // the frame
  EXPECT_EQ(pixel(picture, {1, 3}, 16, 16), kBlack);                   // an open door
  EXPECT_EQ(pixel(picture, {1, 3}, 31, 16), rgb_of(Color::kRed));      // leans on the right
  EXPECT_EQ(pixel(picture, {2, 3}, 24, 16), rgb_of(Color::kRed));      // the handle
}

TEST(Render, RotatesTheAgent) {
  Level level = some_level();
  // The left corner of its back, for each direction.
  constexpr std::array<std::array<int, 2>, 4> kBacks = {{{5, 8}, {23, 5}, {26, 23}, {8, 26}}};
  for (std::size_t direction = 0; direction < 4; ++direction) {
    level.start.direction = static_cast<Direction>(direction);
    const image::Image picture = render(whole_map(level, level.start));
    for (std::size_t other = 0; other < 4; ++other) {
      const image::Rgb expected = other == direction ? image::Rgb{255, 0, 0} : kBlack;
      EXPECT_EQ(pixel(picture, {1, 1}, kBacks[other][0], kBacks[other][1]), expected)
          << direction << " " << other;
    }
  }
}

TEST(Render, HighlightBrightensTheCellsThatTheAgentSees) {
  const Level level = some_level();
  const TileMap map = whole_map(level, level.start);
  // 0 + 0.3 * 255 and 100 + 0.3 * 155, rounded down.
  const image::Image picture = render(map, {.highlight = true});
  EXPECT_EQ(pixel(picture, {2, 1}, 16, 16), (image::Rgb{76, 76, 76}));
  EXPECT_EQ(pixel(picture, {1, 0}, 16, 16), (image::Rgb{146, 146, 146}));
  EXPECT_EQ(pixel(picture, {0, 1}, 16, 16), rgb_of(Color::kGrey));  // behind the agent
}

TEST(Render, RefusesTileSizesOutOfBounds) {
  const Level level = some_level();
  EXPECT_THROW(render(whole_map(level, level.start), {.tile_size = 0}), std::invalid_argument);
}

TEST(TileMap, ViewIsRotatedSoThatTheAgentLooksUp) {
  const Level level = some_level();  // the agent looks east: the goal is two cells ahead
  const TileMap map = view_map(level, level.start);
  EXPECT_EQ(map.at({3, 6}).agent, Direction::kUp);
  EXPECT_EQ(map.at({3, 4}).cell, kGoalCell);
  EXPECT_EQ(map.at({4, 6}).cell.kind, Kind::kBall);  // to its right, south of it
  EXPECT_EQ(map.at({0, 0}).cell.kind, Kind::kUnseen);
}

}  // namespace
}  // namespace plr::minigrid
