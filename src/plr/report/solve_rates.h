// Solve rates on the levels of a test environment with fixed levels, such as the eight mazes of
// JaxUED's evaluation.
//
// The runs that were evaluated on the same test environment are compared, also if they were trained
// in different environments.
//
//   for (const SolveRates& rates : solve_rates(found.runs, analysis)) ...
//   rates.methods[0].rates[2]     // of level rates.levels[2], per run
//
// Copyable values; concurrent reads are safe. The functions are thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plr/report/analysis.h"

namespace plr::report {

// The runs of one method, a column of a table.
struct MethodRuns {
  std::string name;               // the label; with the environment if there are several
  std::vector<std::size_t> runs;  // in the order of `members`
};

// Groups some of the runs by label and environment, in the order of labels.
std::vector<MethodRuns> method_runs(std::span<const RunData> runs, const Analysis& analysis,
                                    std::span<const std::size_t> members);

// A mean with its 95 % interval (stratified bootstrap); the interval is empty for a single run.
struct Estimate {
  double value = 0;
  std::optional<Interval> interval = {};
};

struct SolveMethod {
  std::string name;
  Matrix rates;               // [level][run]: fraction of its episodes that solved it, at the end
  std::vector<double> means;  // [run]: over the levels
  // Over all levels and runs; empty without finished runs.
  std::optional<Estimate> mean;
  std::optional<Estimate> interquartile;
  // The mean over levels during training, where all finished runs have been evaluated.
  Curve by_steps;
  Curve by_updates;  // the same by gradient updates
};

struct SolveRates {
  std::string test_env;
  std::vector<std::string> levels;
  std::size_t num_unfinished = 0;  // runs
  std::vector<double> steps;       // [point] of by_steps
  std::vector<double> updates;     // [point] of by_updates; empty if all rollouts are learned from
  std::vector<SolveMethod> methods;
};

// One element per test environment. Numbers at the end are those of finished runs or, if no run is
// finished, the latest of all runs.
std::vector<SolveRates> solve_rates(std::span<const RunData> runs, const Analysis& analysis);

}  // namespace plr::report
