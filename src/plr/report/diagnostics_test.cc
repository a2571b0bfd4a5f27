#include "plr/report/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace plr::report {
namespace {

const std::size_t kEntropy =
    std::find(kDiagnostics.begin(), kDiagnostics.end(), "entropy") - kDiagnostics.begin();

// A run whose entropy is `first`, first + 1, ... after 100, 200, ... steps.
RunData run_of(const std::string& curriculum, int seed, double first, std::size_t num_updates) {
  RunData run;
  run.settings = {{"env", "procgen/bigfish"},
                  {"curriculum", curriculum},
                  {"seed", std::to_string(seed)},
                  {"steps", "100000"}};
  for (std::size_t i = 1; i <= num_updates; ++i) {
    LogRecord& record = run.updates.emplace_back();
    record.update = static_cast<std::int64_t>(i);
    record.steps = static_cast<std::int64_t>(100 * i);
    record.seconds = static_cast<double>(seed * i);
    record.steps_per_second = 100.0 / seed;
    record.entropy = first + static_cast<double>(i - 1);
  }
  return run;
}

TEST(Diagnostics, AverageTheRunsOfAMethod) {
  const std::vector runs = {run_of("plr", 1, 1, 3), run_of("plr", 2, 5, 3),
                            run_of("uniform", 1, 0, 2)};
  const Diagnostics d = diagnostics(runs, analyze(runs), 0, 100);
  ASSERT_EQ(d.methods.size(), 2U);  // uniform, plr
  EXPECT_EQ(d.steps, (std::vector<double>{100, 200, 300}));
  const Curve& plr = d.methods[1].curves[kEntropy];
  EXPECT_EQ(plr.mean, (std::vector<double>{3, 4, 5}));
  EXPECT_DOUBLE_EQ(plr.deviation[0], std::sqrt(8.0));
  EXPECT_EQ(plr.count, (std::vector<std::size_t>{2, 2, 2}));
  const Curve& uniform = d.methods[0].curves[kEntropy];
  EXPECT_EQ(uniform.mean[1], 1);
  EXPECT_TRUE(std::isnan(uniform.mean[2]));  // its run has two updates
  // The seeds took 1 and 2 seconds per update.
  EXPECT_EQ(d.methods[1].positions.seconds, (std::vector<double>{1.5, 3, 4.5}));
  EXPECT_EQ(d.methods[1].positions.updates, (std::vector<double>{1, 2, 3}));
}

TEST(Diagnostics, LeaveOutNumbersThatWereNotRecorded) {
  const std::vector runs = {run_of("plr", 1, 1, 3)};
  const Diagnostics d = diagnostics(runs, analyze(runs), 0, 100);
  for (std::size_t i = 0; i < kDiagnostics.size(); ++i) {
    EXPECT_EQ(d.methods[0].curves[i].mean.empty(), i != kEntropy) << kDiagnostics[i];
  }
}

TEST(Diagnostics, SkipUpdatesFromWhichTheAgentDidNotLearn) {
  std::vector runs = {run_of("plr", 1, 1, 3)};
  runs[0].updates[1].entropy = run::kMissing;
  // Between 1 and 3.
  EXPECT_EQ(diagnostics(runs, analyze(runs), 0, 100).methods[0].curves[kEntropy].mean,
            (std::vector<double>{1, 2, 3}));
}

TEST(Diagnostics, ALongRunIsAveragedOverConsecutiveUpdates) {
  const std::vector runs = {run_of("plr", 1, 1, 1000)};
  const Diagnostics d = diagnostics(runs, analyze(runs), 0, 100);
  EXPECT_EQ(d.steps.size(), 100U);
  EXPECT_EQ(d.methods[0].curves[kEntropy].mean.front(), 5.5);  // of 1 to 10
  EXPECT_EQ(d.steps.front(), 1000);
}

}  // namespace
}  // namespace plr::report
