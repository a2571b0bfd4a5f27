// How do evaluations at different steps become one curve?
//
// Each run's evaluations are joined by straight lines and read off at common points, from its first
// to its last evaluation and not beyond.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "plr/report/analysis.h"

namespace plr::report {

double quantity_of(const EvalRecord& evaluation, Quantity quantity);

// Nothing outside of the run's evaluations.
std::optional<double> value_at(const RunData& run, Quantity quantity, double steps);

// The steps at which any of the runs was evaluated, thinned evenly to at most `limit`.
std::vector<double> common_steps(std::span<const RunData* const> runs, std::size_t limit);

// Mean and deviation at each point; `values_at(i)` tells the runs' values there.
Curve curve_of(std::size_t num_points,
               const std::function<std::vector<double>(std::size_t)>& values_at);

}  // namespace plr::report
