#include "plr/report/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "plr/report/curves.h"
#include "plr/report/log_means.h"

namespace plr::report {
namespace {

// The points of a column that have a value: its curve, to interpolate.
struct Points {
  std::vector<double> x;
  std::vector<double> y;
};

Points points_of(const LogMeans& log, std::size_t column) {
  Points points;
  for (std::size_t i = 0; i < log.steps.size(); ++i) {
    const double value = log.values[column][i];
    const bool increases = points.x.empty() || log.steps[i] > points.x.back();
    if (!std::isfinite(value) || !increases) continue;
    points.x.push_back(log.steps[i]);
    points.y.push_back(value);
  }
  return points;
}

std::vector<double> common_steps(const std::vector<LogMeans>& logs, std::size_t max_points) {
  std::set<double> all;
  for (const LogMeans& log : logs) all.insert(log.steps.begin(), log.steps.end());
  return subsampled(std::vector<double>(all.begin(), all.end()), max_points);
}

DiagnosticsMethod method_diagnostics(std::span<const LogMeans* const> logs,
                                     std::span<const RunAxes* const> axes,
                                     std::span<const double> steps) {
  DiagnosticsMethod method;
  method.positions = mean_positions(axes, steps);
  for (std::size_t column = 0; column < kDiagnostics.size(); ++column) {
    std::vector<Points> runs;
    for (const LogMeans* log : logs) {
      Points points = points_of(*log, column);
      if (!points.x.empty()) runs.push_back(std::move(points));
    }
    const std::size_t num_points = runs.empty() ? 0 : steps.size();
    method.curves.push_back(mean_curve(num_points, [&](std::size_t point) {
      std::vector<double> values;
      for (const Points& run : runs) {
        if (const auto value = interpolate(run.x, run.y, steps[point])) values.push_back(*value);
      }
      return summarize(values);
    }));
  }
  return method;
}

}  // namespace

CurvePositions mean_positions(std::span<const RunAxes* const> runs, std::span<const double> steps) {
  const auto means = [&](Axis axis) {
    std::vector<double> list;
    bool is_known = false;
    for (const double at : steps) {
      std::vector<double> values;
      for (const RunAxes* run : runs) {
        if (const auto value = run->at(axis, at)) values.push_back(*value);
      }
      is_known = is_known || !values.empty();
      list.push_back(values.empty() ? run::kMissing : summarize(values).mean);
    }
    return is_known ? list : std::vector<double>{};
  };
  return {.updates = means(Axis::kUpdates), .seconds = means(Axis::kSeconds)};
}

Diagnostics diagnostics(std::span<const RunData> runs, const Analysis& analysis, std::size_t env,
                        std::size_t max_points) {
  std::vector<std::size_t> members;
  std::vector<LogMeans> logs;
  std::vector<RunAxes> axes;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].env() != analysis.envs[env].env || runs[i].updates.empty()) continue;
    members.push_back(i);
    logs.push_back(log_means(runs[i].updates, kDiagnostics, max_points));
    axes.push_back(run_axes(runs[i].updates));
  }
  Diagnostics result{.steps = common_steps(logs, max_points), .methods = {}};
  for (const std::string& label : analysis.labels) {
    std::vector<const LogMeans*> method_logs;
    std::vector<const RunAxes*> method_axes;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (analysis.run_labels[members[k]] != label) continue;
      method_logs.push_back(&logs[k]);
      method_axes.push_back(&axes[k]);
    }
    result.methods.push_back(method_diagnostics(method_logs, method_axes, result.steps));
  }
  return result;
}

}  // namespace plr::report
