// Confidence intervals of means over environments, or test levels, and runs.
//
// Stratified bootstrap: each resample draws runs with replacement within each environment. The
// interval is the middle 95 % of the resamples' means.
//
//   const Interval i = interquartile_interval(normalized, Streams(1).named("bootstrap"));
//
// Takes O(num_resamples * n log n) time for n values. Thread-safe.
#pragma once

#include "plr/base/random.h"
#include "plr/report/statistics.h"

namespace plr::report {

struct Interval {
  double low = 0;
  double high = 0;
};

inline constexpr int kNumResamples = 2000;

// REQUIRES: no row of `values` [environment][run] is empty; `num_resamples` is above 0.
Interval interquartile_interval(const Matrix& values, Random random,
                                int num_resamples = kNumResamples);
// The same of the mean over all values.
Interval mean_interval(const Matrix& values, Random random, int num_resamples = kNumResamples);

}  // namespace plr::report
