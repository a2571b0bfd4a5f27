#include "plr/minigrid/picture.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace plr::minigrid {
namespace {

constexpr const char* kEverything =
    "########\n"
    "#rnbpye#\n"
    "#RNBPYE#\n"
    "#+_o?G~#\n"
    "#.  <  #\n"
    "########\n";

TEST(Picture, RoundTripsThroughParseAndDraw) {
  EXPECT_EQ(draw(parse_level(kEverything).start), kEverything);
}

TEST(Picture, KeepsTheColorsOfKeysAndLockedDoors) {
  const Grid grid = parse_level(kEverything).start.grid;
  int x = 1;
  for (const Color color :
       {Color::kRed, Color::kGreen, Color::kBlue, Color::kPurple, Color::kYellow, Color::kGrey}) {
    EXPECT_EQ(grid.at({x, 1}), key(color));
    EXPECT_EQ(grid.at({x, 2}), door(color, DoorState::kLocked));
    ++x;
  }
}

TEST(Picture, PutsTheAgentOnAnEmptyCell) {
  const Level level = parse_level("####\n#^ #\n####\n");
  EXPECT_EQ(level.start.agent, (Position{1, 1}));
  EXPECT_EQ(level.start.direction, Direction::kUp);
  EXPECT_TRUE(level.start.grid.is_empty({1, 1}));
}

std::string error_of(const char* picture) {
  try {
    parse_level(picture);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST(Picture, ReportsWhatIsInvalid) {
  EXPECT_EQ(error_of(""), "picture: sides must be 3..25, not 0 x 0");
  EXPECT_EQ(error_of("####\n#> #\n###\n"), "picture: line 3 has 3 characters, the first has 4");
  EXPECT_EQ(error_of("####\n#> G\n####\n"), "picture: outermost cells must be walls, not 'G'");
  EXPECT_EQ(error_of("####\n#  #\n####\n"), "picture: there must be one agent, not 0");
  EXPECT_EQ(error_of("####\n#><#\n####\n"), "picture: there must be one agent, not 2");
  EXPECT_EQ(error_of("####\n#>x#\n####\n"), "picture: unknown character 'x'");
}

}  // namespace
}  // namespace plr::minigrid
