// Curves of a run's log: losses, entropy, KL divergence and other numbers that show whether
// training is healthy, as means over the runs of a method.
//
//   const Diagnostics d = diagnostics(found.runs, analysis, 0, 300);
//   d.methods[1].curves[2].mean      // kDiagnostics[2] of the second label, at d.steps
//
// Copyable values; concurrent reads are safe. The functions are thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "plr/report/analysis.h"
#include "plr/report/run_axes.h"

namespace plr::report {

// Fields of LogRecord.
inline constexpr std::array<std::string_view, 11> kDiagnostics = {
    "return",    "length",        "policy_loss",        "value_loss", "entropy",
    "approx_kl", "clip_fraction", "explained_variance", "grad_norm",  "advantage_deviation",
    "drac_loss"};

// Positions of a method's points, means over its runs; NaN without runs, empty if unknown.
struct CurvePositions {
  std::vector<double> updates;
  std::vector<double> seconds;
};

struct DiagnosticsMethod {
  CurvePositions positions;
  std::vector<Curve> curves;  // [kDiagnostics]; without points if no run recorded the number
};

struct Diagnostics {
  std::vector<double> steps;               // [point]
  std::vector<DiagnosticsMethod> methods;  // [label]
};

// Of one environment. A point is the mean over consecutive updates if the runs have more updates
// than `max_points`. REQUIRES: `analysis` is analyze(runs); `max_points` is above 1.
Diagnostics diagnostics(std::span<const RunData> runs, const Analysis& analysis, std::size_t env,
                        std::size_t max_points);

// The mean positions of some runs at these steps.
CurvePositions mean_positions(std::span<const RunAxes* const> runs, std::span<const double> steps);

}  // namespace plr::report
