#include "plr/report/welch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/golden.h"

namespace plr::report {
namespace {

using testing::golden_lines;

TEST(WelchGolden, SamplesAgree) {
  for (const auto& c : golden_lines("stats/welch.jsonl.gz")) {
    const std::optional<Welch> test = welch(summary_of(c.at("a").get<std::vector<double>>()),
                                            summary_of(c.at("b").get<std::vector<double>>()));
    ASSERT_TRUE(test);
    EXPECT_NEAR(test->t, c.at("t").get<double>(), 1e-10) << c.at("case");
    EXPECT_NEAR(test->degrees_of_freedom, c.at("df").get<double>(), 1e-9) << c.at("case");
    EXPECT_NEAR(test->p / c.at("p").get<double>(), 1, 1e-9) << c.at("case");
  }
}

Summary printed(double mean, double deviation, std::size_t count) {
  return {.count = count, .mean = mean, .deviation = deviation};
}

TEST(WelchGolden, SummariesAgree) {
  for (const auto& c : golden_lines("stats/welch_summary.jsonl.gz")) {
    const std::optional<Welch> test = welch(printed(c.at("m1"), c.at("s1"), c.at("n1")),
                                            printed(c.at("m2"), c.at("s2"), c.at("n2")));
    ASSERT_TRUE(test);
    EXPECT_NEAR(test->p / c.at("p").get<double>(), 1, 1e-9) << c;
  }
}

TEST(Welch, SaysNothingAboutASingleRun) {
  EXPECT_FALSE(welch(printed(1, 0, 1), printed(2, 0.1, 5)));
  EXPECT_FALSE(is_significantly_above(printed(9, 0, 1), printed(2, 0.1, 5)));
}

TEST(Welch, TakesRunsThatDoNotVaryAtTheirWord) {
  EXPECT_EQ(welch(printed(1, 0, 3), printed(1, 0, 3))->p, 1);
  EXPECT_EQ(welch(printed(2, 0, 3), printed(1, 0, 3))->p, 0);
  EXPECT_EQ(welch(printed(2, 0, 3), printed(1, 0, 3))->t, INFINITY);
}

// ---- the paper's bold print, from the means and deviations that it prints (10 runs)

std::string bold_pattern(const std::vector<Summary>& methods) {
  std::string pattern;
  for (const bool is_bold : bold_methods(methods)) pattern += is_bold ? 'B' : '.';
  return pattern;
}

TEST(BoldMethods, MarkTheBestAndWhatIsNotSignificantlyBelow) {
  // CaveFlyer (easy): uniform, TSCL, mixreg, UCB-DrAC, PLR, UCB-DrAC + PLR.
  EXPECT_EQ(bold_pattern({printed(5.4, .8, 10), printed(6.3, .6, 10), printed(6.0, .6, 10),
                          printed(4.6, .9, 10), printed(6.3, .5, 10), printed(6.8, .7, 10)}),
            ".B..BB");
}

TEST(BoldMethods, MarkNothingIfThatWouldBeAll) {
  // FruitBot (easy).
  EXPECT_EQ(bold_pattern({printed(27.3, .9, 10), printed(27.1, 1.6, 10), printed(27.7, .8, 10),
                          printed(27.0, 1.3, 10), printed(28.0, 1.3, 10), printed(27.6, 1.5, 10)}),
            "......");
}

TEST(BoldMethods, PassOverMethodsWithoutRuns) {
  EXPECT_EQ(bold_pattern({printed(3.7, 1.2, 10), {}, printed(14.3, 2.1, 10)}), "..B");
  EXPECT_EQ(bold_pattern({{}, {}}), "..");
}

}  // namespace
}  // namespace plr::report
