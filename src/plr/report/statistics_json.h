// The numbers and tests behind the tables, as JSON for other programs (plr report --json).
// Thread-safe.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "plr/report/analysis.h"
#include "plr/report/profiles.h"
#include "plr/report/tables.h"

namespace plr::report {

// REQUIRES: `analysis` is analyze(runs).
nlohmann::ordered_json statistics_json(std::span<const RunData> runs, const Analysis& analysis,
                                       const std::optional<Comparison>& compare = std::nullopt);

// [{family, method, other, probability, interval}]
nlohmann::ordered_json improvements_json(std::span<const Improvement> improvements);

}  // namespace plr::report
