#include "plr/report/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "plr/report/bootstrap.h"
#include "tests/support/golden.h"

namespace plr::report {
namespace {

using testing::golden_lines;

TEST(Summarize, OneValueHasNoDeviation) {
  const Summary s = summarize(std::vector{3.0});
  EXPECT_EQ(s.count, 1U);
  EXPECT_EQ(s.mean, 3);
  EXPECT_EQ(s.deviation, 0);
}

TEST(NormalizedAuc, WeightsValuesByTheDistanceBetweenPoints) {
  // From 0 to 1 over one unit, then flat for three: (0.5 + 3) / 4.
  EXPECT_DOUBLE_EQ(normalized_auc(std::vector{0.0, 1.0, 4.0}, std::vector{0.0, 1.0, 1.0}), 0.875);
  EXPECT_EQ(normalized_auc(std::vector{5.0}, std::vector{2.0}), 2);
}

TEST(WorstMean, DoesNotRoundUpAProductAboveAnInteger) {
  // 0.1 * 30 is a little above 3 in doubles; the three smallest are 0, 1, 2.
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) values.push_back(29 - i);
  EXPECT_EQ(worst_mean(values, 0.1), 1);
}

TEST(StatisticsGolden, InterquartileMeansMatch) {
  for (const auto& c : golden_lines("stats/iqm.jsonl.gz")) {
    std::vector<double> pooled;
    for (const auto& x : c.at("x")) {
      if (x.is_array()) {
        for (const double value : x) pooled.push_back(value);
      } else {
        pooled.push_back(x);
      }
    }
    EXPECT_NEAR(interquartile_mean(pooled), c.at("iqm").get<double>(), 1e-12) << c.at("case");
    if (!c.contains("std_ddof1") || c.at("std_ddof1").is_null()) continue;
    const Summary s = summarize(pooled);
    EXPECT_NEAR(s.mean, c.at("mean").get<double>(), 1e-12) << c.at("case");
    EXPECT_NEAR(s.deviation, c.at("std_ddof1").get<double>(), 1e-12) << c.at("case");
  }
}

TEST(StatisticsGolden, WorstMeansMatch) {
  for (const auto& c : golden_lines("stats/cvar.jsonl.gz")) {
    EXPECT_NEAR(worst_mean(c.at("x"), c.at("alpha")), c.at("cvar_discrete").get<double>(), 1e-12)
        << c.at("case");
  }
}

TEST(StatisticsGolden, NormalizedReturnsMatch) {
  for (const auto& c : golden_lines("stats/normalised.jsonl.gz")) {
    EXPECT_NEAR(min_max_normalized(c.at("ret"), {c.at("rmin"), c.at("rmax")}),
                c.at("normalised").get<double>(), 1e-12)
        << c.at("game");
  }
}

TEST(StatisticsGolden, RelativeReturnsMatch) {
  for (const auto& c : golden_lines("stats/relative.jsonl.gz")) {
    const Summary s = relative_returns(c.at("method"), c.at("baseline"));
    EXPECT_NEAR(100 * s.mean, c.at("mean_percent").get<double>(), 1e-9);
    EXPECT_NEAR(100 * s.deviation, c.at("std_percent_ddof1").get<double>(), 1e-9);
  }
}

TEST(MeanOverEnvs, UsesAllRunsOfEnvironmentsWithDifferentNumbersOfRuns) {
  // Means 2 and 5, variances 1 and 2.
  const Summary s = mean_over_envs({{1, 2, 3}, {4, 6}});
  EXPECT_EQ(s.count, 2U);
  EXPECT_DOUBLE_EQ(s.mean, 3.5);
  EXPECT_DOUBLE_EQ(s.deviation, std::sqrt(1.0 + 2.0) / 2);

  EXPECT_EQ(mean_over_envs({{1, 2, 3}, {4}}).deviation, 0);
  EXPECT_EQ(mean_over_envs({{1, 2, 3}, {}}).count, 0U);
}

TEST(RelativeReturns, TheBaselineIsOneForAnyNumbersOfRuns) {
  const Matrix baseline = {{0.5, 0.6, 0.9, 0.5}, {0.8, 0.7}, {0.1, 0.2, 0.3}};
  EXPECT_NEAR(relative_returns(baseline, baseline).mean, 1, 1e-12);
}

TEST(RelativeReturns, DoNotExistForABaselineThatIsNotAboveZero) {
  EXPECT_EQ(relative_returns({{1, 2}, {-200}}, {{1, 2}, {-1000}}).count, 0U);
  EXPECT_EQ(relative_returns({{1}}, {{0}}).count, 0U);
}

TEST(Bootstrap, IntervalIsEmptyIfRunsAreEqual) {
  // The runs of each environment are equal, so all resamples are equal.
  const Interval i = interquartile_interval({{1, 1}, {3, 3}, {5, 5}}, Streams(1).named("b"), 50);
  EXPECT_EQ(i.low, i.high);
  EXPECT_EQ(i.low, 3);  // of 1 1 3 3 5 5, one value is cut at each end
}

TEST(Bootstrap, IntervalOfAUniformSampleHasTheExpectedWidth) {
  // The interquartile mean of 0..199 is 99.5. The standard error of the mean of 100 values spread
  // evenly over a range of 100 is about 2.9; resampling also changes which values are in the middle
  // half: the expected width is 10 to 40.
  std::vector<double> row;
  for (int i = 0; i < 200; ++i) row.push_back(i);
  const Interval i = interquartile_interval({row}, Streams(1).named("b"));
  EXPECT_LT(i.low, 99.5);
  EXPECT_GT(i.high, 99.5);
  EXPECT_GT(i.high - i.low, 10);
  EXPECT_LT(i.high - i.low, 40);
}

}  // namespace
}  // namespace plr::report
