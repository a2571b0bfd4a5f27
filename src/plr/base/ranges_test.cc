#include "plr/base/ranges.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace plr {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

TEST(Ranges, ParseANumberAsARangeOfOne) {
  const auto range = parse_range("7");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 7U);
  EXPECT_EQ(range->last, 7U);
}

TEST(Ranges, IncludeBothEnds) {
  const auto range = parse_range("100-299");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 100U);
  EXPECT_EQ(range->last, 299U);
  EXPECT_FALSE(range->is_reversed());
}

TEST(Ranges, ReachTheLargestNumber) {
  const auto range = parse_range("0-" + std::to_string(kLargest));
  ASSERT_TRUE(range);
  EXPECT_EQ(range->last, kLargest);
}

TEST(Ranges, ReportThatTheyAreReversed) {
  const auto range = parse_range("300-299");
  ASSERT_TRUE(range);
  EXPECT_TRUE(range->is_reversed());
}

TEST(Ranges, RefuseOtherTexts) {
  for (const char* text : {"", "-", "-5", "5-", "1-2-3", "x", "1 - 2", " 1", "+1", "0x10", "1.0",
                           "18446744073709551616"}) {
    EXPECT_FALSE(parse_range(text)) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace plr
