// CSV files of a report: curves, runs and evaluations. Thread-safe.
//
// REQUIRES: `analysis` is analyze(runs).
#pragma once

#include <span>
#include <string>

#include "plr/report/analysis.h"

namespace plr::report {

// curves.csv: one line per environment, method, quantity and point of the learning curves.
std::string curves_csv(const Analysis& analysis);

// runs.csv: one line per run with its last numbers and the settings in which the runs differ.
std::string runs_csv(std::span<const RunData> runs, const Analysis& analysis);

// evaluations.csv: one line per evaluation of each run.
std::string evaluations_csv(std::span<const RunData> runs, const Analysis& analysis);

}  // namespace plr::report
