// Conditional value at risk of success rates: the mean over the levels that are solved least often
// (Rutherford et al. 2024, "No Regrets").
//
//   const std::vector<run::CvarRow> levels = run::read_cvar(folder / layout::kCvar).records;
//   const std::optional<double> worst = cvar(levels, 0.01);   // of the worst 1 %
//
// Levels are selected by their success rate in evaluation A and measured in evaluation B:
// selecting and measuring with the same episodes would give too low a number. Thread-safe.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "plr/run/records.h"

namespace plr::report {

// The fractions of levels that tables show: 0.01 % to all.
inline constexpr std::array kCvarFractions = {0.0001, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0};

// The mean success rate in B of the floor(fraction * n) levels with the lowest success rates in A;
// of equal ones, the first in the list. Nothing if these are no levels. A level without episodes
// has a success rate of 0. Takes O(n log n) time.
// REQUIRES: `fraction` is in (0, 1].
std::optional<double> cvar(std::span<const run::CvarRow> levels, double fraction);

}  // namespace plr::report
