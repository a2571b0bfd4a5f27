#include "plr/maze/text_form.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/error_message.h"

namespace plr::maze {
namespace {

TEST(MazeText, RoundTrips) {
  const std::string text =
      "name: detour\n"
      "...\n"
      ".#.\n"
      ">#G\n"
      "\n"
      "<G\n";
  const std::vector<NamedLevel> levels = parse_levels(text, "some.txt");
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].name, "detour");
  EXPECT_EQ(levels[0].level.agent, (Position{0, 2}));
  EXPECT_EQ(levels[0].level.goal, (Position{2, 2}));
  EXPECT_EQ(levels[0].level.walls.count(), 2);
  EXPECT_EQ(levels[1].name, "");
  EXPECT_EQ(levels[1].level.direction, Direction::kLeft);
  EXPECT_EQ(to_text(levels), text);
}

TEST(MazeText, IgnoresBlankLinesAndSpacesAroundRows) {
  EXPECT_EQ(parse_levels("\n\n  >G \r\n\t\n\nname:  b  \r\n^G\r\n\n", "x"),
            parse_levels(">G\n\nname: b\n^G", "x"));
}

TEST(MazeText, ErrorsNameFileAndLine) {
  const auto error = [](const char* text) {
    return invalid_argument_of([&] { parse_levels(text, "a.txt"); });
  };
  EXPECT_EQ(error(""), "a.txt:1: there is no level; give rows of # . G > v < ^");
  EXPECT_EQ(error("\n>G\n\n..\n.G\n"), "a.txt:4: the level has no agent; put one of > v < ^");
  EXPECT_EQ(error("..\n.>"), "a.txt:1: the level has no goal; put a G");
  EXPECT_EQ(error(">G.\n.."),
            "a.txt:2: all rows of a level must have the same length, here 3, not 2");
  EXPECT_EQ(error(">G\n.x"), "a.txt:2: a cell must be one of # . G > v < ^, not 'x'");
  EXPECT_EQ(error(">G\nG."), "a.txt:2: a level must have one goal, not two");
  EXPECT_EQ(error(">G\n<."), "a.txt:2: a level must have one agent, not two");
  EXPECT_EQ(error(">G\nname: a"), "a.txt:2: a name must be before the rows of its level");
  EXPECT_EQ(error("name: a\nname: b\n>G"), "a.txt:2: a level must have one name, not two");
  EXPECT_EQ(error(">G\n\nname: a\n"), "a.txt:3: a name must be followed by the rows of its level");
  EXPECT_EQ(error((">G" + std::string(100, '.')).c_str()),
            "a.txt:1: the width of a level must be at most 101, not 102");
  std::string high = ">\nG\n";
  for (int i = 0; i < 100; ++i) high += ".\n";
  EXPECT_EQ(error(high.c_str()), "a.txt:102: the height of a level must be at most 101, not 102");
}

TEST(MazeText, OneLevelIsExpectedByParseLevel) {
  EXPECT_EQ(invalid_argument_of([] { parse_level(">G\n\n>G"); }),
            "level: there must be one level, not 2");
}

}  // namespace
}  // namespace plr::maze
