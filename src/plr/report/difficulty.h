// Does the curriculum move from easy to hard levels by itself?
//
// Where levels have degrees of difficulty, runs record how the probability of being played next is
// spread over them.  At the paper's temperature one level has most of it, so that a single record
// says little: here they are averaged over the runs of a method, and drawn as moving means.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plr/report/run_data.h"
#include "plr/report/svg_chart.h"

namespace plr::report {

// Of the runs of one label in one environment.
struct DifficultyCurves {
  std::string env;
  std::string label;
  std::size_t num_runs = 0;
  std::vector<double> updates;              // [record]; those that all of the runs have
  std::vector<std::vector<double>> shares;  // [degree, record], the mean over runs
};

// In the order of environments and labels; none for what has no degrees.
std::vector<DifficultyCurves> difficulty_curves(std::span<const RunData> runs);

// One smooth line per degree.
Chart chart_of(const DifficultyCurves& curves);

// env,method,update,difficulty,probability,runs
std::string to_csv(std::span<const DifficultyCurves> curves);

// The mean of each value and its neighbours, `window` in all where there are so many.
std::vector<double> moving_mean(std::span<const double> values, std::size_t window);

// As they are drawn: over a twentieth of the records.
std::vector<double> smooth_shares(std::span<const double> shares);

}  // namespace plr::report
