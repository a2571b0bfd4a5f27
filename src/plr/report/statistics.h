// Which numbers does one give for many runs?
//
// Those of the paper's tables and figures, and two robust ones: the interquartile mean and the mean
// of the worst levels.
//
//   const Summary s = summary_of(std::vector{10.1, 12.3, 9.8});   // "10.7 +- 1.4 (3 runs)"
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plr/env/return_range.h"

namespace plr::report {

// One number per row and column: [environment][run], rows perhaps of different lengths.
using Matrix = std::vector<std::vector<double>>;

struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double deviation = 0;  // of the sample, n - 1; 0 for fewer than two
};
Summary summary_of(std::span<const double> values);

// The mean of the middle half: a quarter of the values, rounded down, is cut at each end.
// `values` must not be empty.
double interquartile_mean(std::vector<double> values);

// The mean of the smallest ceil(fraction * n) values: how bad are the worst levels?  `values` must
// not be empty, `fraction` in (0, 1].
double worst_mean(std::vector<double> values, double fraction);

// The height of the curve through the points, averaged over x: what was gained along the way, not
// only at the end.  The points must be ordered by x and not be empty.
double mean_height(std::span<const double> x, std::span<const double> y);

// Where a return lies in the range: 0 at its low end, 1 at its high one.
double min_max_normalized(double episode_return, const ReturnRange& range);

// The paper's normalized returns, one per run k: the mean over environments of the method's return
// divided by the baseline's mean return there.  Runs beyond the shortest row are left out.
std::vector<double> relative_returns(const Matrix& method, const Matrix& baseline);

}  // namespace plr::report
