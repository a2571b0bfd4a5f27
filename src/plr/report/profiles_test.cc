#include "plr/report/profiles.h"

#include <gtest/gtest.h>

#include "plr/report/runs_testing.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_directory.h"

namespace plr::report {
namespace {

using testing::golden_lines;

// As many resamples as rliable's. An end of an interval is a quantile of numbers that are steps
// apart, one step per run of all environments, and may differ by one of them.
constexpr int kResamples = 20'000;

double interval_tolerance(const Matrix& scores) {
  std::size_t num_runs = 0;
  for (const auto& row : scores) num_runs += row.size();
  return 1.001 / static_cast<double>(num_runs);
}

TEST(ProfilesGolden, ProfilesMatchRliable) {
  for (const auto& c : golden_lines("stats/rliable.jsonl.gz")) {
    const Matrix x = c.at("x");
    const std::vector<double> thresholds = c.at("thresholds");
    const std::vector<double> ours = profile(x, thresholds);
    const auto intervals = profile_intervals(x, thresholds, Streams(1).named("b"), kResamples);
    for (std::size_t t = 0; t < thresholds.size(); ++t) {
      EXPECT_NEAR(ours[t], c.at("profile")[t].get<double>(), 1e-12) << c.at("case");
      EXPECT_NEAR(intervals[t].low, c.at("profile_low")[t].get<double>(), interval_tolerance(x));
      EXPECT_NEAR(intervals[t].high, c.at("profile_high")[t].get<double>(), interval_tolerance(x));
    }
  }
}

TEST(ProfilesGolden, ProbabilitiesOfImprovementMatchRliable) {
  for (const auto& c : golden_lines("stats/rliable.jsonl.gz")) {
    const Matrix x = c.at("x");
    const Matrix y = c.at("y");
    EXPECT_NEAR(probability_of_improvement(x, y), c.at("improvement").get<double>(), 1e-12)
        << c.at("case");
    const Interval interval = improvement_interval(x, y, Streams(1).named("b"), kResamples);
    EXPECT_NEAR(interval.low, c.at("improvement_interval")[0].get<double>(), interval_tolerance(x));
    EXPECT_NEAR(interval.high, c.at("improvement_interval")[1].get<double>(),
                interval_tolerance(x));
  }
}

TEST(ProfilesGolden, InterquartileMeansAndIntervalsMatchRliable) {
  for (const auto& c : golden_lines("stats/rliable.jsonl.gz")) {
    const Matrix x = c.at("x");
    std::vector<double> pooled;
    for (const auto& row : x) pooled.insert(pooled.end(), row.begin(), row.end());
    EXPECT_NEAR(interquartile_mean(pooled), c.at("iqm").get<double>(), 1e-12) << c.at("case");
    const Interval interval = interquartile_interval(x, Streams(1).named("b"), kResamples);
    EXPECT_NEAR(interval.low, c.at("iqm_interval")[0].get<double>(), interval_tolerance(x));
    EXPECT_NEAR(interval.high, c.at("iqm_interval")[1].get<double>(), interval_tolerance(x));
  }
}

TEST(Profile, AScoreEqualToAThresholdIsNotAboveIt) {
  EXPECT_EQ(profile({{0.5, 1.0}}, std::vector{0.0, 0.5, 1.0}), (std::vector{1.0, 0.5, 0.0}));
}

Analysis analysis_of(const TemporaryDirectory& folder) {
  return analyze(find_runs({folder.path()}).runs);
}

TEST(Improvements, NeedTwoRunsOfBothMethods) {
  const TemporaryDirectory temporary;
  write_run(temporary / "p1", {.curriculum = "plr", .seed = 1, .test = {0.8}});
  write_run(temporary / "p2", {.curriculum = "plr", .seed = 2, .test = {0.4}});
  write_run(temporary / "u1", {.curriculum = "uniform", .seed = 1, .test = {0.6}});
  EXPECT_TRUE(improvements(analysis_of(temporary), {}).empty());
  write_run(temporary / "u2", {.curriculum = "uniform", .seed = 2, .test = {0.2}});
  const std::vector<Improvement> found = improvements(analysis_of(temporary), {});
  ASSERT_EQ(found.size(), 1U);
  // 0.8 is above both, 0.4 above 0.2 only.
  EXPECT_DOUBLE_EQ(found[0].probability, 0.75);
  EXPECT_EQ(improvement_table(found).rows[0].name, "MiniGrid: plr > uniform");
}

TEST(Improvements, ComparedMethodsAreFirstAndListedOnce) {
  const TemporaryDirectory temporary;
  for (const char* curriculum : {"plr", "uniform", "tscl"}) {
    for (const int seed : {1, 2}) {
      write_run(temporary / (curriculum + std::to_string(seed)),
                {.curriculum = curriculum, .seed = seed, .test = {0.1 * seed}});
    }
  }
  const auto names = [&](const std::optional<Comparison>& compare) {
    std::vector<std::string> list;
    for (const Improvement& i : improvements(analysis_of(temporary), compare)) {
      list.push_back(i.method + " > " + i.other);
    }
    return list;
  };
  EXPECT_EQ(names(Comparison{"plr", "uniform"}),
            (std::vector<std::string>{"plr > uniform", "tscl > uniform"}));
  EXPECT_EQ(names(Comparison{"plr", "tscl"}),
            (std::vector<std::string>{"plr > tscl", "tscl > uniform", "plr > uniform"}));
}

TEST(Profiles, HaveNoIntervalIfAnEnvironmentHasASingleRun) {
  const TemporaryDirectory temporary;
  for (const int seed : {1, 2, 3}) {
    write_run(temporary / std::to_string(seed), {.seed = seed, .test = {0.2 * seed}});
  }
  const auto before = profiles(analysis_of(temporary));
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(before[0].lines[0].intervals.size(), before[0].thresholds.size());
  write_run(temporary / "other", {.env = "minigrid/MultiRoom-N4-Random", .test = {0.5}});
  EXPECT_TRUE(profiles(analysis_of(temporary))[0].lines[0].intervals.empty());
}

TEST(Profiles, CoverScoresOutsideZeroToOne) {
  const TemporaryDirectory temporary;
  for (const int seed : {1, 2, 3}) {
    write_run(temporary / std::to_string(seed), {.seed = seed, .test = {0.75 * seed - 1}});
  }
  const std::vector<double> thresholds = profiles(analysis_of(temporary))[0].thresholds;
  EXPECT_NEAR(thresholds.front(), -0.3, 1e-12);
  EXPECT_NEAR(thresholds.back(), 1.3, 1e-12);
}

}  // namespace
}  // namespace plr::report
