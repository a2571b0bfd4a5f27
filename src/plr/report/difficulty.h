// The curriculum by difficulty: the probability of easy and hard levels over the course of
// training.
//
// For levels with degrees of difficulty, runs record the distribution of the next level over the
// degrees. At the paper's temperature a single level has most of the probability, so a single
// record is noisy: the records are averaged over the runs of a method, and charts show moving
// means.
//
// Copyable values; concurrent reads are safe. The functions are thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plr/report/analysis.h"
#include "plr/report/svg_chart.h"

namespace plr::report {

// Of the runs of one label in one environment.
struct DifficultyCurves {
  std::string env;
  std::string label;
  std::size_t num_runs = 0;
  std::vector<double> updates;              // [record]; updates that all of the runs recorded
  std::vector<std::vector<double>> shares;  // [degree, record], probability, mean over runs
};

// Sorted by environment, then in the order of `analysis.labels`. Runs without degrees of difficulty
// and runs in which no level has a probability are left out. REQUIRES: `analysis` is analyze(runs).
std::vector<DifficultyCurves> difficulty_curves(std::span<const RunData> runs,
                                                const Analysis& analysis);

// One smoothed line per degree.
Chart difficulty_chart(const DifficultyCurves& curves);

// difficulty.csv: the records of every run, "env,method,seed,update,probabilities", the last column
// with one number per degree; empty if no run has degrees of difficulty.
// REQUIRES: `analysis` is analyze(runs).
inline constexpr std::string_view kDifficultyFile = "difficulty.csv";
std::string difficulty_csv(std::span<const RunData> runs, const Analysis& analysis);

// The mean of the `window` values around each value; fewer at the ends.
std::vector<double> moving_mean(std::span<const double> values, std::size_t window);

// The moving mean that charts show: over a twentieth of the records.
std::vector<double> smooth_shares(std::span<const double> shares);

}  // namespace plr::report
