#include "plr/viewer/level_list.h"

#include <gtest/gtest.h>

#include "tests/support/error_message.h"

namespace plr::viewer {
namespace {

using Levels = std::vector<LevelId>;

TEST(LevelList, JoinsNumbersAndRangesInTheGivenOrder) {
  EXPECT_EQ(parse_level_list("--seeds", "7"), Levels{7});
  EXPECT_EQ(parse_level_list("--seeds", "20-22,3,3"), (Levels{20, 21, 22, 3, 3}));
}

TEST(LevelList, EndsAtTheLargestLevel) {
  EXPECT_EQ(parse_level_list("--seeds", "18446744073709551614-18446744073709551615"),
            (Levels{18446744073709551614U, 18446744073709551615U}));
}

TEST(LevelList, RefusesOtherTexts) {
  for (const char* text : {"", "a", "3-1", "1,", ",1", "1-", "-1", "18446744073709551616", "1 2"}) {
    EXPECT_EQ(invalid_argument_of([&] { parse_level_list("--seeds", text); }),
              "--seeds must be numbers and ranges like 0-15 or 3,7,20-29, not '" +
                  std::string(text) + "'");
  }
}

TEST(LevelList, RefusesMoreThanTheLimit) {
  EXPECT_EQ(parse_level_list("--seeds", "0-999").size(), kMaxListedLevels);
  EXPECT_EQ(invalid_argument_of([] { parse_level_list("--seeds", "0-999,5"); }),
            "--seeds must name at most 1000 levels, not '0-999,5'");
}

}  // namespace
}  // namespace plr::viewer
