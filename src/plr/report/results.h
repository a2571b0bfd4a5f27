// Reads exported results (export.h) back as runs.
//
// A folder that export_report() wrote holds everything that tables, curves and tests are made of:
// runs.csv and settings.toml (the settings), evaluations.csv, training.csv and difficulty.csv. So a
// report can be made again without the run folders, and results of several machines and days can be
// compared:
//
//   plr report runs/multiroom experiments/minigrid/results/multiroom --export figures
//
// The runs have no tables of levels and no single episodes; numbers are rounded as in the files.
//
// Functions without state; thread-safe.
#pragma once

#include <filesystem>
#include <vector>

#include "plr/report/run_data.h"

namespace plr::report {

// Whether the folder has runs.csv and settings.toml. Exports of version 0.2.0 and older lack the
// latter.
bool has_results(const std::filesystem::path& folder);

// In the order of runs.csv. training.csv and difficulty.csv may be missing. Throws
// std::runtime_error with file, line and cause if another file is missing, if one is damaged, or if
// two runs have the same env, method and seed. REQUIRES: has_results(folder).
std::vector<RunData> read_results(const std::filesystem::path& folder);

}  // namespace plr::report
