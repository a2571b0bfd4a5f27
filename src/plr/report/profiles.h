// Performance profiles and probabilities of improvement, as in rliable (Agarwal et al., "Deep
// reinforcement learning at the edge of the statistical precipice", NeurIPS 2021).
//
//   const Matrix plr = normalized_returns(analysis, family, 1);       // [environment][run]
//   profile(plr, {0.25, 0.5, 0.75});                                  // fractions of runs above
//   probability_of_improvement(plr, normalized_returns(analysis, family, 0));
//
// Intervals are 95 % intervals of the stratified bootstrap (bootstrap.h). Copyable values; the
// functions are thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plr/report/analysis.h"
#include "plr/report/evaluation_tables.h"
#include "plr/report/tables.h"

namespace plr::report {

// The final test returns of a method, min-max normalized, [environment][run]; empty if it has no
// run in one of the environments.
Matrix normalized_returns(const Analysis& analysis, const FamilyResult& family, std::size_t method);

// The fraction of runs whose score is above each threshold, averaged over environments.
// REQUIRES: no row of `scores` is empty, as in the next functions; `thresholds` increase.
std::vector<double> profile(const Matrix& scores, std::span<const double> thresholds);
// [threshold]
std::vector<Interval> profile_intervals(const Matrix& scores, std::span<const double> thresholds,
                                        Random random, int num_resamples = kNumResamples);

// The probability that a random run of `x` has a higher score than a random run of `y` in the same
// environment, averaged over environments; equal scores count as one half.
// REQUIRES: both have the same number of rows.
double probability_of_improvement(const Matrix& x, const Matrix& y);
Interval improvement_interval(const Matrix& x, const Matrix& y, Random random,
                              int num_resamples = kNumResamples);

// How probably the runs of one method are better than those of another, in one family.
struct Improvement {
  std::string family;
  std::string method;
  std::string other;
  double probability = 0;
  Interval interval;
};

// Every method against the baseline, and the compared methods. Methods with a single run in some
// environment are left out.
std::vector<Improvement> improvements(const Analysis& analysis,
                                      const std::optional<Comparison>& compare);
Table improvement_table(std::span<const Improvement> improvements);

// The profiles of a family's methods, with their intervals, at 101 thresholds.
struct Profiles {
  std::string family;
  std::vector<double> thresholds;
  struct Line {
    std::string method;
    std::vector<double> fractions;    // [threshold]
    std::vector<Interval> intervals;  // [threshold]; empty if a method has a single run somewhere
  };
  std::vector<Line> lines;
};
// One per family in which some method has at least three runs.
std::vector<Profiles> profiles(const Analysis& analysis);
Figure profile_figure(const Profiles& profiles);

}  // namespace plr::report
