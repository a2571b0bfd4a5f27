#include "plr/terminal/number_text.h"

#include <gtest/gtest.h>

namespace plr::terminal {
namespace {

TEST(ShortNumber, HasThreeOrFourDigitsAndAUnit) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(950), "950");
  EXPECT_EQ(short_number(12'345), "12.3k");
  EXPECT_EQ(short_number(4'560'000), "4.56M");
  EXPECT_EQ(short_number(1.2e9), "1.20G");
}

TEST(ShortNumber, ChangesUnitBeforeRoundingWouldAddADigit) {
  EXPECT_EQ(short_number(999.4), "999");
  EXPECT_EQ(short_number(999.6), "1.0k");
  EXPECT_EQ(short_number(999'600), "1.00M");
}

TEST(ClockText, ShowsHoursOnlyIfThereAreAny) {
  EXPECT_EQ(clock_text(7), "0:07");
  EXPECT_EQ(clock_text(754), "12:34");
  EXPECT_EQ(clock_text(3 * 3600 + 5 * 60), "3:05:00");
  EXPECT_EQ(clock_text(-3), "0:00");
}

TEST(DurationText, RoundsMinutesUp) {
  EXPECT_EQ(duration_text(61), "2 min");
  EXPECT_EQ(duration_text(0), "0 min");
  EXPECT_EQ(duration_text(5400), "1.5 h");
}

}  // namespace
}  // namespace plr::terminal
