// The data of the page's charts, as JSON for page/report.js. Thread-safe.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "plr/report/analysis.h"
#include "plr/report/tables.h"

namespace plr::report {

// The runs that the page shows in detail: the first of each environment and method, at most 24.
std::vector<std::size_t> detailed_runs(const Analysis& analysis);

// Labels, colors, learning curves, profiles, diagnostics and details of runs. Numbers are rounded,
// and long series subsampled. REQUIRES: `analysis` is analyze(runs).
nlohmann::ordered_json page_data(std::span<const RunData> runs, const Analysis& analysis,
                                 const std::optional<Comparison>& compare);

}  // namespace plr::report
