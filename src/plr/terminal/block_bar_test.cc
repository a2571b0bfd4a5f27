#include "plr/terminal/block_bar.h"

#include <gtest/gtest.h>

namespace plr::terminal {
namespace {

TEST(BlockBar, FillsWholeCharactersAndEighths) {
  EXPECT_EQ(block_bar(0, 4), "");
  EXPECT_EQ(block_bar(1, 4), "████");
  EXPECT_EQ(block_bar(0.5, 4), "██");
  EXPECT_EQ(block_bar(1.0 / 32, 4), "▏");
  EXPECT_EQ(block_bar(15.0 / 32, 4), "█▉");
}

TEST(BlockBar, RoundsToTheNearestEighth) {
  EXPECT_EQ(block_bar(0.9 / 8, 1), "▏");
  EXPECT_EQ(block_bar(0.4 / 8, 1), "");
  EXPECT_EQ(block_bar(0.999, 2), "██");
}

TEST(DisplayWidth, CountsCharactersInsteadOfBytes) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("█▏"), 2);
}

TEST(Padded, AppendsSpacesUpToTheWidth) {
  EXPECT_EQ(padded("█", 3), "█  ");
  EXPECT_EQ(padded("abcd", 3), "abcd");
}

}  // namespace
}  // namespace plr::terminal
