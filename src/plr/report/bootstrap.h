// Confidence intervals of statistics over environments, or test levels, and runs.
//
// Stratified bootstrap: each resample draws runs with replacement within each environment. The
// interval is the middle 95 % of the resamples' statistics, as in rliable (Agarwal et al., NeurIPS
// 2021).
//
//   const Interval i = interquartile_interval(normalized, Streams(1).named("bootstrap"));
//
// Takes O(num_resamples * n log n) time for n values. Thread-safe.
#pragma once

#include <vector>

#include "plr/base/random.h"
#include "plr/report/statistics.h"

namespace plr::report {

struct Interval {
  double low = 0;
  double high = 0;
};

inline constexpr int kNumResamples = 2000;

// Whether every environment has at least two runs. Otherwise resamples repeat the only run, and an
// interval would claim a certainty that there is not.
bool can_resample(const Matrix& values);

// REQUIRES: no row of `values` [environment][run] is empty; `num_resamples` is above 0.
Interval interquartile_interval(const Matrix& values, Random random,
                                int num_resamples = kNumResamples);
// The same of the mean over all values.
Interval mean_interval(const Matrix& values, Random random, int num_resamples = kNumResamples);

// A resample of `values`, written to `sample`, which has the same shape.
void resample(const Matrix& values, Random& random, Matrix& sample);
// The middle 95 % of some numbers. REQUIRES: there is at least one.
Interval middle_interval(std::vector<double> numbers);

}  // namespace plr::report
