#include "plr/core/tscl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

namespace plr {
namespace {

Random stream(std::uint64_t seed = 1) { return Streams(seed).named("levels"); }

// TSCL without data structures: keeps every return and sums over all levels each time.
class NaiveTscl {
 public:
  NaiveTscl(const TsclConfig& config, std::size_t num_levels)
      : config_(config), q_(num_levels, 0.0), chosen_at_(num_levels, 0) {}

  void choose(LevelId level) { chosen_at_[level] = ++num_draws_; }

  void record(LevelId level, double value) {
    returns_[level].push_back({num_episodes_++, value});
    const auto& all = returns_[level];
    const auto count = std::min(all.size(), static_cast<std::size_t>(config_.window));
    const double slope = slope_of({all.end() - static_cast<std::ptrdiff_t>(count), all.end()});
    q_[level] = config_.smoothing * slope + (1 - config_.smoothing) * q_[level];
  }

  // The probabilities of the next draw.
  std::vector<double> probabilities() const {
    std::vector<double> weights(q_.size());
    double best = 0;
    for (const double q : q_) best = std::max(best, std::abs(q));
    for (std::size_t i = 0; i < q_.size(); ++i) {
      weights[i] = config_.policy == TsclPolicy::kBoltzmann
                       ? std::exp((std::abs(q_[i]) - best) / config_.temperature)
                       : (std::abs(q_[i]) == best ? 1.0 : 0.0);
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    double stale = 0;
    for (const double c : chosen_at_) stale += static_cast<double>(num_draws_ + 1) - c;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      weights[i] /= sum;
      if (config_.policy == TsclPolicy::kEpsilonGreedy) {
        weights[i] =
            (1 - config_.epsilon) * weights[i] + config_.epsilon / static_cast<double>(q_.size());
      }
      const double staleness = static_cast<double>(num_draws_ + 1) - chosen_at_[i];
      weights[i] =
          (1 - config_.staleness_coef) * weights[i] + config_.staleness_coef * staleness / stale;
    }
    return weights;
  }

 private:
  // By the normal equations, unlike tscl.cc.
  double slope_of(const std::vector<std::pair<double, double>>& points) const {
    if (points.size() < 2) return config_.first_slope;
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& [time, value] : points) {
      n += 1, x += time, y += value, xx += time * time, xy += time * value;
    }
    return (n * xy - x * y) / (n * xx - x * x);
  }

  TsclConfig config_;
  std::vector<double> q_;
  std::vector<double> chosen_at_;
  std::map<LevelId, std::vector<std::pair<double, double>>> returns_;
  std::int64_t num_draws_ = 0;
  double num_episodes_ = 0;
};

TEST(LeastSquaresSlope, EqualsTheSlopeOfALine) {
  // Through (0, 1), (1, 3), (2, 5) goes 1 + 2 t; (0, 0), (1, 1), (2, 0), (3, 1) has the means 1.5
  // and 0.5, the covariance (-1.5)(-.5) + (-.5)(.5) + (.5)(-.5) + (1.5)(.5) = 1 and the variance 5.
  EXPECT_NEAR(least_squares_slope({{{0, 1}, {1, 3}, {2, 5}}}), 2, 1e-15);
  EXPECT_NEAR(least_squares_slope({{{0, 0}, {1, 1}, {2, 0}, {3, 1}}}), 0.2, 1e-15);
  EXPECT_EQ(least_squares_slope({{{4, 7}}}), 0);
  EXPECT_EQ(least_squares_slope({{{4, 7}}}, 1), 1);
  EXPECT_EQ(least_squares_slope({}, 1), 0);
}

TEST(Tscl, PrefersLevelsWhoseReturnsRiseOrFall) {
  Tscl tscl(LevelSet::range(10, 4), {.epsilon = 0.5}, stream());
  const auto play = [&](LevelId level, double value) {
    tscl.choose(level);
    tscl.record({.level = level, .episode_return = value});
  };
  play(10, 0);
  play(10, 1);  // a slope of 1
  play(11, 5);
  play(11, 3);  // a slope of -2: forgetting counts too
  EXPECT_NEAR(tscl.progress(10), 1, 1e-15);
  EXPECT_NEAR(tscl.progress(11), -2, 1e-15);
  // Half of the draws to the best, half to all four.
  const auto weights = tscl.weights();
  EXPECT_NEAR(weights[1].probability, 0.5 + 0.125, 1e-15);
  EXPECT_NEAR(weights[3].probability, 0.125, 1e-15);
  EXPECT_NEAR(weights[1].score, 2, 1e-15);
}

TEST(Tscl, ForgetsReturnsThatLeaveTheWindow) {
  Tscl tscl(LevelSet::range(0, 2), {.window = 2}, stream());
  for (const double value : {0.0, 100.0, 7.0, 7.0}) {
    tscl.choose(0);
    tscl.record({.level = 0, .episode_return = value});
  }
  EXPECT_EQ(tscl.progress(0), 0);  // 7 and 7
}

TEST(Tscl, SmoothsTheSlope) {
  Tscl tscl(LevelSet::range(0, 2), {.smoothing = 0.25}, stream());
  for (const double value : {0.0, 1.0, 2.0}) tscl.record({.level = 0, .episode_return = value});
  EXPECT_NEAR(tscl.progress(0), 0.4375, 1e-15);  // 0, then .25, then .25 + .25 * .75
}

TEST(Tscl, TriesEveryLevelEarlyWithAnOptimisticFirstSlope) {
  Tscl tscl(LevelSet::range(0, 3), {.epsilon = 0, .first_slope = 1}, stream());
  tscl.record({.level = 2, .episode_return = 0});
  EXPECT_EQ(tscl.next(), 2U);
}

TEST(Tscl, SplitsDrawsAmongEqualLevels) {
  Tscl tscl(LevelSet::range(0, 50), {.epsilon = 0}, stream());
  std::set<LevelId> drawn;
  for (int i = 0; i < 1000; ++i) drawn.insert(tscl.next());
  EXPECT_EQ(drawn.size(), 50U);  // missing one has a probability of 50 * .98^1000 = 1e-7
}

TEST(Tscl, IgnoresPiecesOfUnfinishedEpisodes) {
  Tscl tscl(LevelSet::range(0, 3), {}, stream());
  tscl.record({.level = 1, .episode_return = 3});
  tscl.record({.level = 1, .episode_return = 9, .is_finished = false});
  EXPECT_EQ(tscl.progress(1), 0);
}

TEST(Tscl, DrawsWithItsWeights) {
  for (const TsclPolicy policy : {TsclPolicy::kEpsilonGreedy, TsclPolicy::kBoltzmann}) {
    const TsclConfig config{.policy = policy, .temperature = 0.5, .staleness_coef = 0.4};
    std::vector<int> counts(5);
    std::vector<LevelWeight> weights;
    const int draws = 20'000;
    for (int i = 0; i < draws; ++i) {
      // The same history each time, then a draw from a different stream.
      Tscl tscl(LevelSet::range(0, 5), config, stream(100 + i));
      for (int episode = 0; episode < 12; ++episode) {
        const auto level = static_cast<LevelId>(episode * episode % 5);
        tscl.choose(level);
        tscl.record({.level = level, .episode_return = std::sin(episode)});
      }
      weights = tscl.weights();
      ++counts[tscl.next()];
    }
    for (std::size_t i = 0; i < 5; ++i) {
      const double p = weights[i].probability;
      const double deviation = std::sqrt(p * (1 - p) / draws);
      EXPECT_NEAR(static_cast<double>(counts[i]) / draws, p, 5 * deviation) << i;
    }
  }
}

TEST(Tscl, EqualsTheNaiveImplementation) {
  Random random = stream(3);
  const auto one_of = [&](std::vector<double> values) {
    return values[random.below(values.size())];
  };
  for (int round = 0; round < 60; ++round) {
    const TsclConfig config{.window = 2 + static_cast<std::int64_t>(random.below(12)),
                            .smoothing = one_of({1, 1, 0.5, 0.1}),
                            .policy = static_cast<TsclPolicy>(random.below(2)),
                            .epsilon = one_of({0, 0.1, 0.5, 1}),
                            .temperature = one_of({0.1, 0.5, 1}),
                            .staleness_coef = one_of({0, 0, 0.1, 0.5, 1}),
                            .first_slope = one_of({0, 0, 1})};
    const std::size_t num_levels = 1 + random.below(20);
    Tscl fast(LevelSet::range(0, num_levels), config, stream(round));
    NaiveTscl naive(config, num_levels);
    std::vector<LevelId> playing(4);
    for (LevelId& level : playing) naive.choose(level = fast.next());
    for (int i = 0; i < 300; ++i) {
      LevelId& level = playing[random.below(playing.size())];
      const double value = static_cast<double>(random.below(16)) / 8;
      fast.record({.level = level, .episode_return = value});
      naive.record(level, value);
      naive.choose(level = fast.next());
      // If two |Q| differ by rounding only, one implementation may see a tie and the other not.
      const auto weights = fast.weights();
      const auto expected = naive.probabilities();
      std::vector<double> scores;
      for (const LevelWeight& w : weights) scores.push_back(w.score);
      std::ranges::sort(scores, std::greater<>());
      const bool is_near_tie = scores.size() > 1 && scores[0] - scores[1] < 1e-9;
      if (is_near_tie && config.policy == TsclPolicy::kEpsilonGreedy) continue;
      for (std::size_t k = 0; k < num_levels; ++k) {
        ASSERT_NEAR(weights[k].probability, expected[k], 1e-9) << "level " << k;
      }
    }
  }
}

TEST(Tscl, RefusesAStreamAndWrongSettings) {
  EXPECT_THROW(Tscl(LevelSet::stream(0, 1000), {}, stream()), std::invalid_argument);
  EXPECT_THROW(Tscl(LevelSet::range(0, 5), {.window = 1}, stream()), std::invalid_argument);
  EXPECT_THROW(Tscl(LevelSet::range(0, 5), {.temperature = 0}, stream()), std::invalid_argument);
  Tscl tscl(LevelSet::range(0, 5), {}, stream());
  EXPECT_THROW(tscl.record({.level = 5}), std::out_of_range);
  EXPECT_THROW(tscl.choose(5), std::out_of_range);
  EXPECT_THROW(tscl.record({.level = 1, .episode_return = NAN}), std::invalid_argument);
}

}  // namespace
}  // namespace plr
