// Curves over runs that were evaluated at different steps.
//
// A run's evaluations are interpolated linearly and read at the steps of all runs, from its first
// to its last evaluation; there is no extrapolation. Thread-safe.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "plr/base/evenly.h"
#include "plr/report/analysis.h"

namespace plr::report {

double quantity_value(const EvalRecord& evaluation, Quantity quantity);

// Empty before the run's first and after its last evaluation. Takes O(log evaluations) time.
std::optional<double> interpolate(const RunData& run, Quantity quantity, double steps);

// The value at `at` of the piecewise linear curve through the points (x, y); empty outside of them.
// REQUIRES: `x` and `y` have the same size; `x` increases.
std::optional<double> interpolate(std::span<const double> x, std::span<const double> y, double at);

// At most `limit` of the values, evenly, with the first and the last.
// REQUIRES: `limit` is above 1.
template <class T>
std::vector<T> subsampled(const std::vector<T>& values, std::size_t limit) {
  if (values.size() <= limit) return values;
  std::vector<T> kept;
  for (std::size_t i = 0; i < limit; ++i) {
    kept.push_back(values[even_position(i, limit, values.size())]);
  }
  return kept;
}

// The steps up to `end` at which any of the runs was evaluated, subsampled evenly to at most
// `limit`. REQUIRES: `limit` is above 1.
std::vector<double> evaluation_steps(std::span<const RunData* const> runs, std::size_t limit,
                                     double end = std::numeric_limits<double>::infinity());

// Mean and deviation at each point; `summary_at(i)` returns those of the runs' values at point i.
Curve mean_curve(std::size_t num_points, const std::function<Summary(std::size_t)>& summary_at);

}  // namespace plr::report
