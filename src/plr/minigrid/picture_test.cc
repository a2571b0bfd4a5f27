#include "plr/minigrid/picture.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace plr::minigrid {
namespace {

TEST(Picture, IsReadAsItIsDrawn) {
  const char* picture =
      "########\n"
      "#rnbpye#\n"
      "#RNBPYE#\n"
      "#+_o?G~#\n"
      "#.  <  #\n"
      "########\n";
  EXPECT_EQ(draw(parse_level(picture).start), picture);
}

TEST(Picture, PutsTheAgentOnAnEmptyCell) {
  const Level level = parse_level("####\n#^ #\n####\n");
  EXPECT_EQ(level.start.agent, (Position{1, 1}));
  EXPECT_EQ(level.start.direction, Direction::kUp);
  EXPECT_TRUE(level.start.grid.is_empty({1, 1}));
}

TEST(Picture, MustBeARectangleWithAWallAroundItAndOneAgent) {
  EXPECT_THROW(parse_level(""), std::invalid_argument);
  EXPECT_THROW(parse_level("####\n#> #\n###\n"), std::invalid_argument);
  EXPECT_THROW(parse_level("####\n#>  \n####\n"), std::invalid_argument);
  EXPECT_THROW(parse_level("####\n#  #\n####\n"), std::invalid_argument);
  EXPECT_THROW(parse_level("####\n#><#\n####\n"), std::invalid_argument);
  EXPECT_THROW(parse_level("####\n#>x#\n####\n"), std::invalid_argument);
}

}  // namespace
}  // namespace plr::minigrid
