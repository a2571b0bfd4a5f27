// What do the page's charts show?
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "plr/report/analysis.h"

namespace plr::report {

// The runs that are shown in detail: the first of each environment and method, not too many.
std::vector<std::size_t> detailed_runs(const Analysis& analysis);

// Everything that page/report.js reads.
nlohmann::ordered_json page_data(std::span<const RunData> runs, const Analysis& analysis);

// The numbers behind the tables, for other programs: plr report --json.
nlohmann::ordered_json statistics_json(std::span<const RunData> runs, const Analysis& analysis);

}  // namespace plr::report
