// Exports a report as files for papers.
//
//   export_report("figures", found.runs, analysis, {});
//
// writes
//   TABLE.csv, TABLE.md, TABLE.tex   every table of report_tables()
//   QUANTITY-ENV.svg                 learning curves with stars, also of families
//                                    (QUANTITY-all-FAMILY.svg)
//   curves.csv                       the points of these curves
//   settings.toml, runs.csv, evaluations.csv
//   training.csv                     the runs' logs, at most 200 rows each (training_log.h)
//   difficulty.csv                   for levels with degrees of difficulty: their probabilities
//   difficulty-ENV-METHOD.svg        the same as figures, means over runs
//
// The five files from settings.toml to difficulty.csv are read back by results.h, so that the
// others can be made again from them.
//
// Not thread-safe for one folder.
#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "plr/report/tables.h"

namespace plr::report {

// Creates the folder if necessary and replaces existing files. Throws std::runtime_error with path
// and cause. REQUIRES: `analysis` is analyze(runs).
void export_report(const std::filesystem::path& folder, std::span<const RunData> runs,
                   const Analysis& analysis, const std::optional<Comparison>& compare);

}  // namespace plr::report
