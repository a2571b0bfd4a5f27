// The settings of runs as an HTML table: a row per setting, a column per method, rows that differ
// between methods marked. Thread-safe.
#pragma once

#include <span>
#include <string>

#include "plr/report/analysis.h"

namespace plr::report {

// All settings, those in which the runs differ first: without the seed, and without the environment
// if there are several. Rows have the class "differs" or "same".
// REQUIRES: `analysis` is analyze(runs).
std::string settings_html(std::span<const RunData> runs, const Analysis& analysis);

}  // namespace plr::report
