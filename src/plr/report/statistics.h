// Summary statistics over runs: those of the paper's tables and figures, the interquartile mean and
// the mean over the worst levels.
//
//   const Summary s = summarize(std::vector{10.1, 12.3, 9.8});   // 10.7 +- 1.4, 3 runs
//
// Pure functions of their arguments; thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plr/env/return_range.h"

namespace plr::report {

// [environment][run]; rows may have different lengths.
using Matrix = std::vector<std::vector<double>>;

struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double deviation = 0;  // sample standard deviation (n - 1); 0 for fewer than two values
};
Summary summarize(std::span<const double> values);
// For templates whose numbers may be summarized already.
inline const Summary& summarize(const Summary& summary) { return summary; }
// The summary of the values times `factor`. REQUIRES: `factor` is not negative.
inline Summary scaled(const Summary& s, double factor) {
  return {.count = s.count, .mean = s.mean * factor, .deviation = s.deviation * factor};
}

// The mean of the middle half of the values: floor(n / 4) values are cut at each end.
// REQUIRES: `values` is not empty.
double interquartile_mean(std::vector<double> values);

// The mean of the ceil(fraction * n) smallest values.
// REQUIRES: `values` is not empty; `fraction` is in (0, 1].
double worst_mean(std::vector<double> values, double fraction);

// The area under the piecewise linear curve through the points (x, y), divided by the range of x;
// the last y if the range is empty.
// REQUIRES: `x` and `y` have the same size, above 0; `x` is sorted.
double normalized_auc(std::span<const double> x, std::span<const double> y);

// The position of a return in its range: 0 at the low end, 1 at the high end.
double min_max_normalized(double episode_return, const ReturnRange& range);

// The mean over environments of the values of their runs. If all environments have the same number
// of runs, the deviation is that of the means over the k-th runs, as in the paper. Otherwise it is
// that of a mean over one independent run per environment, and `count` is the smallest number of
// runs. Without values if a row is empty. REQUIRES: `values` has a row.
Summary mean_over_envs(const Matrix& values);

// The paper's normalized returns: the mean over environments of the method's returns divided by the
// baseline's mean return there. Without values if one of these means is not above 0.
// REQUIRES: both matrices have the same number of rows, above 0; rows of `baseline` are not empty.
Summary relative_returns(const Matrix& method, const Matrix& baseline);

}  // namespace plr::report
