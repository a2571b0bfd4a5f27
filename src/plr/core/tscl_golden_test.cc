// Compares TSCL-Window with recorded slopes and traces.
#include <gtest/gtest.h>

#include "plr/core/tscl.h"
#include "tests/support/golden.h"

namespace plr {
namespace {

using nlohmann::json;
using testing::golden_lines;

TEST(LeastSquaresSlope, EqualsGoldenSlopes) {
  for (const json& line : golden_lines("tscl/slopes.jsonl.gz")) {
    std::vector<TimedReturn> points;
    for (std::size_t i = 0; i < line.at("times").size(); ++i) {
      points.push_back({line.at("times")[i], line.at("returns")[i]});
    }
    EXPECT_NEAR(least_squares_slope(points), line.at("slope").get<double>(), 1e-12)
        << line.at("case");
  }
}

TsclConfig config_of(const json& trace) {
  const bool is_greedy = trace.at("policy") == "eps_greedy";
  TsclConfig config{.window = trace.at("K"),
                    .smoothing = trace.at("alpha"),
                    .policy = is_greedy ? TsclPolicy::kEpsilonGreedy : TsclPolicy::kBoltzmann,
                    .staleness_coef = trace.at("rho")};
  if (is_greedy) {
    config.epsilon = trace.at("eps");
  } else {
    config.temperature = trace.at("tau");
  }
  return config;
}

void follow(const json& trace) {
  Tscl tscl(LevelSet::range(0, trace.at("levels")), config_of(trace), Streams(0).named("levels"));
  for (const json& event : trace.at("events")) {
    const LevelId level = event.at("level");
    SCOPED_TRACE(event.at("c"));
    if (event.contains("P")) {
      const auto weights = tscl.weights();
      for (std::size_t i = 0; i < weights.size(); ++i) {
        ASSERT_NEAR(weights[i].probability, event.at("P")[i].get<double>(), 1e-12) << i;
      }
    }
    tscl.choose(level);
    ASSERT_EQ(tscl.num_draws(), event.at("c").get<std::int64_t>());
    tscl.record({.level = level, .episode_return = event.at("ret")});
    ASSERT_NEAR(tscl.progress(level), event.at("Q").get<double>(), 1e-12);
  }
  for (LevelId level = 0; level < trace.at("Q_final").size(); ++level) {
    ASSERT_NEAR(tscl.progress(level), trace.at("Q_final")[level].get<double>(), 1e-12);
  }
}

TEST(Tscl, FollowsGoldenTraces) {
  for (const json& trace : golden_lines("tscl/traces.jsonl.gz")) {
    ASSERT_NO_FATAL_FAILURE(follow(trace)) << trace.at("case");
  }
}

}  // namespace
}  // namespace plr
