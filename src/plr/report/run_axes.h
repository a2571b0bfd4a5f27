// Positions of a run's records on the axes of charts: environment steps, gradient updates and
// training time.
//
//   const RunAxes axes = run_axes(run.updates);
//   axes.at(Axis::kSeconds, steps)     // seconds of training when the run had done so many steps
//
// Copyable values; concurrent reads are safe. The functions are thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plr/report/run_data.h"

namespace plr::report {

enum class Axis { kUpdates, kSeconds };

struct RunAxes {
  std::vector<double> steps;  // [record], increasing
  std::vector<double>
      updates;  // [record], rollouts that the agent has learned from; empty if unknown
  std::vector<double> seconds;  // [record], see training_seconds(); empty if unknown

  // The position at `steps`, interpolated; empty before the first and after the last record.
  std::optional<double> at(Axis axis, double at_steps) const;
};

RunAxes run_axes(std::span<const LogRecord> updates);

// The seconds of training until each record. A process counts from its own start; the time of a
// resumed run continues where the process before it left its last record. Time between two
// processes, and time whose updates were repeated after a kill, is not counted. NaN where it was
// not recorded.
std::vector<double> training_seconds(std::span<const LogRecord> updates);

}  // namespace plr::report
