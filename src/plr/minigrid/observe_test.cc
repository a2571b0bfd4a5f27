// The observations, shown as pictures.

#include "plr/minigrid/observe.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "plr/minigrid/picture.h"
#include "plr/minigrid/step.h"

namespace plr::minigrid {
namespace {

// The 7 x 7 view as a picture; the agent is in the middle of the last line and looks up.
std::string view(const Level& level, const State& state) {
  std::array<std::uint8_t, kViewBytes> bytes;
  observe_view(level, state, bytes);
  State seen;
  seen.grid = Grid(kViewSide, kViewSide);
  for (int i = 0; i < kViewSide; ++i) {
    for (int j = 0; j < kViewSide; ++j) {
      const std::uint8_t* cell = &bytes[static_cast<std::size_t>((i * kViewSide + j) * 3)];
      seen.grid.set({i, j}, {static_cast<Kind>(cell[0]), static_cast<Color>(cell[1]), cell[2]});
    }
  }
  return draw(seen);
}

TEST(ObserveFull, IsTheGridByColumnsWithTheAgent) {
  const Level level = parse_level(
      "####\n"
      "#vY#\n"
      "####\n");
  std::vector<std::uint8_t> image(full_size(level.start.grid));
  observe_full(level.start, image);
  // [x][y] = (kind, color, state); grey walls are (2, 5, 0), the agent looks down (1), a locked (2)
  // yellow (4) door.
  const std::vector<std::uint8_t> expected = {2, 5, 0, 2,  5, 0, 2, 5, 0,   // x = 0
                                              2, 5, 0, 10, 0, 1, 2, 5, 0,   // x = 1
                                              2, 5, 0, 4,  4, 2, 2, 5, 0,   // x = 2
                                              2, 5, 0, 2,  5, 0, 2, 5, 0};  // x = 3
  EXPECT_EQ(image, expected);
}

TEST(ObserveFull, DoesNotShowTheCarriedObject) {
  Level level = parse_level(
      "####\n"
      "#v #\n"
      "####\n");
  std::vector<std::uint8_t> empty_handed(full_size(level.start.grid));
  observe_full(level.start, empty_handed);
  level.start.carrying.cell = key(Color::kPurple);
  std::vector<std::uint8_t> carrying(full_size(level.start.grid));
  observe_full(level.start, carrying);
  EXPECT_EQ(carrying, empty_handed);
}

TEST(ObserveView, RotatesWithTheAgent) {
  Level level = parse_level(
      "#######\n"
      "#y    #\n"
      "#     #\n"
      "#  ^  #\n"
      "#     #\n"
      "#    r#\n"
      "#######\n");
  EXPECT_EQ(view(level, level.start),
            ":::::::\n"
            ":::::::\n"
            ":::::::\n"
            "#######\n"
            "#y    #\n"
            "#     #\n"
            "#     #\n");
  level.start.direction = Direction::kDown;
  EXPECT_EQ(view(level, level.start),
            ":::::::\n"
            ":::::::\n"
            ":::::::\n"
            "#######\n"
            "#r    #\n"
            "#     #\n"
            "#     #\n");
  level.start.direction = Direction::kRight;
  EXPECT_EQ(view(level, level.start),
            ":::::::\n"
            ":::::::\n"
            ":::::::\n"
            "#######\n"
            "#    r#\n"
            "#     #\n"
            "#     #\n");
  level.start.direction = Direction::kLeft;
  EXPECT_EQ(view(level, level.start),
            ":::::::\n"
            ":::::::\n"
            ":::::::\n"
            "#######\n"
            "#    y#\n"
            "#     #\n"
            "#     #\n");
}

TEST(ObserveView, ClosedDoorsBlockTheViewAndOpenDoorsDoNot) {
  const Level level = parse_level(
      "#######\n"
      "#    G#\n"
      "#     #\n"
      "###+###\n"
      "#  ^  #\n"
      "#######\n");
  EXPECT_EQ(view(level, level.start),
            ":::::::\n"
            ":::::::\n"
            ":::::::\n"
            ":::::::\n"
            ":::::::\n"
            "###+###\n"
            "#     #\n");
  State state = level.start;
  step(level, state, Action::kToggle);
  // Visibility spreads from the doorway by one cell per row, then sideways.
  EXPECT_EQ(view(level, state),
            ":::::::\n"
            ":::::::\n"
            "#######\n"
            "#    G#\n"
            "#     #\n"
            "###_###\n"
            "#     #\n");
}

TEST(ObserveView, WallsBlockTheViewAndObjectsDoNot) {
  const Level level = parse_level(
      "#######\n"
      "#     #\n"
      "#oooo##\n"
      "####^##\n"
      "#######\n");
  EXPECT_EQ(view(level, level.start),
            ":::::::\n"
            ":::::::\n"
            ":::::::\n"
            "######:\n"
            "     #:\n"
            "oooo#::\n"
            "::# #::\n");
}

TEST(ObserveView, SeesThroughWallsIfTheLevelAllowsIt) {
  Level level = parse_level(
      "#####\n"
      "#r#y#\n"
      "#####\n"
      "# ^ #\n"
      "#####\n");
  EXPECT_EQ(view(level, level.start).find('y'), std::string::npos);
  level.see_through_walls = true;
  // Cells outside the grid are walls.
  EXPECT_EQ(view(level, level.start),
            "#######\n"
            "#######\n"
            "#######\n"
            "#######\n"
            "##r#y##\n"
            "#######\n"
            "##   ##\n");
}

TEST(ObserveView, ShowsTheCarriedObjectInTheAgentsCell) {
  Level level = parse_level(
      "#####\n"
      "# ^ #\n"
      "#####\n");
  level.start.grid.set({2, 1}, kGoalCell);
  EXPECT_EQ(view(level, level.start).substr(6 * 8), ":#   #:\n");
  level.start.carrying.cell = key(Color::kPurple);
  EXPECT_EQ(view(level, level.start).substr(6 * 8), ":# p #:\n");
}

}  // namespace
}  // namespace plr::minigrid
