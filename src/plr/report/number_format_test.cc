#include "plr/report/number_format.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plr::report {
namespace {

TEST(NumberFormat, DecimalNeverPrintsNegativeZero) {
  EXPECT_EQ(decimal(-0.001, 2), "0.00");
  EXPECT_EQ(decimal(-0.01, 2), "-0.01");
}

TEST(NumberFormat, DecimalPrintsADashForNan) { EXPECT_EQ(decimal(NAN, 2), "-"); }

TEST(NumberFormat, ShortNumberAbbreviatesThousandsAndMillions) {
  EXPECT_EQ(short_number(0.6000000000000001), "0.6");
  EXPECT_EQ(short_number(1500), "1500");
  EXPECT_EQ(short_number(5e4), "50k");
  EXPECT_EQ(short_number(2.5e7), "25M");
  EXPECT_EQ(short_number(245'760'100), "245.7601M");
  EXPECT_EQ(short_number(3 * 0.1 * 1e6), "300k");
}

}  // namespace
}  // namespace plr::report
