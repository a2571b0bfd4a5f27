// Files of an export: settings, runs, evaluations and curves. results.h reads the first three back.
//
// Thread-safe. REQUIRES: `analysis` is analyze(runs).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plr/report/analysis.h"

namespace plr::report {

inline constexpr std::string_view kSettingsFile = "settings.toml";
inline constexpr std::string_view kRunsFile = "runs.csv";
inline constexpr std::string_view kEvaluationsFile = "evaluations.csv";
inline constexpr std::string_view kCurvesFile = "curves.csv";

// settings.toml: the settings that all runs have in common.
std::string common_settings_toml(std::span<const RunData> runs);

// curves.csv: one line per environment, method, quantity and point of the learning curves.
std::string curves_csv(const Analysis& analysis);

// runs.csv: one line per run with its last numbers and, after kLastNumberColumn, the settings in
// which the runs differ.
inline constexpr std::string_view kLastNumberColumn = "steps_per_second";
std::string runs_csv(std::span<const RunData> runs, const Analysis& analysis);

// The columns that identify a run in all files: env,method,seed.
inline constexpr std::string_view kRunColumns = "env,method,seed";
std::string run_cells(std::span<const RunData> runs, const Analysis& analysis, std::size_t run);

// evaluations.csv: one line per evaluation of each run.
std::string evaluations_csv(std::span<const RunData> runs, const Analysis& analysis);

}  // namespace plr::report
