// What does a paper take from a report?
//
//   export_report("figures", found.runs, analysis, {});
//
// writes TABLE.csv, .md and .tex of every table, QUANTITY-ENV.svg of every curve, curves.csv,
// runs.csv, and evaluations.csv, from which the rest can be computed anew; where levels have
// degrees of difficulty, difficulty-ENV-METHOD.svg and difficulty.csv.
#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "plr/report/page.h"

namespace plr::report {

// Makes the folder where it is missing.  Throws std::runtime_error with path and cause.
void export_report(const std::filesystem::path& folder, std::span<const RunData> runs,
                   const Analysis& analysis, const std::optional<Comparison>& compare);

}  // namespace plr::report
