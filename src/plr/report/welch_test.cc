#include "plr/report/welch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/golden.h"

namespace plr::report {
namespace {

using testing::golden_lines;

TEST(WelchGolden, SamplesMatch) {
  for (const auto& c : golden_lines("stats/welch.jsonl.gz")) {
    const std::optional<Welch> test = welch(summarize(c.at("a").get<std::vector<double>>()),
                                            summarize(c.at("b").get<std::vector<double>>()));
    ASSERT_TRUE(test);
    EXPECT_NEAR(test->t, c.at("t").get<double>(), 1e-10) << c.at("case");
    EXPECT_NEAR(test->degrees_of_freedom, c.at("df").get<double>(), 1e-9) << c.at("case");
    EXPECT_NEAR(test->p / c.at("p").get<double>(), 1, 1e-9) << c.at("case");
  }
}

Summary summary(double mean, double deviation, std::size_t count) {
  return {.count = count, .mean = mean, .deviation = deviation};
}

TEST(WelchGolden, SummariesMatch) {
  for (const auto& c : golden_lines("stats/welch_summary.jsonl.gz")) {
    const std::optional<Welch> test = welch(summary(c.at("m1"), c.at("s1"), c.at("n1")),
                                            summary(c.at("m2"), c.at("s2"), c.at("n2")));
    ASSERT_TRUE(test);
    EXPECT_NEAR(test->p / c.at("p").get<double>(), 1, 1e-9) << c;
  }
}

TEST(Welch, IsEmptyForASingleRun) {
  EXPECT_FALSE(welch(summary(1, 0, 1), summary(2, 0.1, 5)));
  EXPECT_FALSE(is_significantly_above(summary(9, 0, 1), summary(2, 0.1, 5)));
}

TEST(Welch, AnyDifferenceIsSignificantWithoutVariance) {
  EXPECT_EQ(welch(summary(1, 0, 3), summary(1, 0, 3))->p, 1);
  EXPECT_EQ(welch(summary(2, 0, 3), summary(1, 0, 3))->p, 0);
  EXPECT_EQ(welch(summary(2, 0, 3), summary(1, 0, 3))->t, INFINITY);
}

// ---- the paper's bold print, from its printed means and deviations (10 runs)

std::string bold_pattern(const std::vector<Summary>& methods) {
  std::string pattern;
  for (const bool is_bold : bold_methods(methods)) pattern += is_bold ? 'B' : '.';
  return pattern;
}

TEST(BoldMethods, AreTheBestAndThoseNotSignificantlyBelow) {
  // CaveFlyer (easy): uniform, TSCL, mixreg, UCB-DrAC, PLR, UCB-DrAC + PLR.
  EXPECT_EQ(bold_pattern({summary(5.4, .8, 10), summary(6.3, .6, 10), summary(6.0, .6, 10),
                          summary(4.6, .9, 10), summary(6.3, .5, 10), summary(6.8, .7, 10)}),
            ".B..BB");
}

TEST(BoldMethods, AreNoneIfAllWouldBeBold) {
  // FruitBot (easy).
  EXPECT_EQ(bold_pattern({summary(27.3, .9, 10), summary(27.1, 1.6, 10), summary(27.7, .8, 10),
                          summary(27.0, 1.3, 10), summary(28.0, 1.3, 10), summary(27.6, 1.5, 10)}),
            "......");
}

TEST(BoldMethods, ExcludeMethodsWithoutRuns) {
  EXPECT_EQ(bold_pattern({summary(3.7, 1.2, 10), {}, summary(14.3, 2.1, 10)}), "..B");
  EXPECT_EQ(bold_pattern({{}, {}}), "..");
}

}  // namespace
}  // namespace plr::report
