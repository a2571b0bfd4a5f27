// How sure is an interquartile mean over environments and runs?
//
// A stratified bootstrap: runs are drawn anew, with replacement, within each environment; the
// middle 95 % of the interquartile means of these samples is the interval.
//
//   const Interval i = interquartile_interval(normalized, Streams(1).named("bootstrap"));
#pragma once

#include "plr/base/random.h"
#include "plr/report/statistics.h"

namespace plr::report {

struct Interval {
  double low = 0;
  double high = 0;
};

// `values` [environment][run]; none of the rows may be empty.
Interval interquartile_interval(const Matrix& values, Random random, int num_samples = 2000);

}  // namespace plr::report
