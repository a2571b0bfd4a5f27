#include "plr/report/run_axes.h"

#include <algorithm>
#include <cmath>

#include "plr/report/curves.h"

namespace plr::report {
namespace {

// Whether a process wrote `next` as its first record, and another one `last`. The steps of a
// process are its seconds times its steps per second; the clock alone would miss a process whose
// first update took longer than the run before it.
bool is_resumed(const LogRecord& last, const LogRecord& next) {
  if (next.seconds < last.seconds) return true;
  const double steps_of_process = next.seconds * next.steps_per_second;
  const double steps_between = static_cast<double>(next.steps - last.steps);
  constexpr double kRounding = 1.001;  // the two factors were rounded
  return steps_of_process <= kRounding * steps_between;
}

}  // namespace

std::vector<double> training_seconds(std::span<const LogRecord> updates) {
  std::vector<double> seconds;
  double before = 0;  // of earlier processes
  const LogRecord* last = nullptr;
  for (const LogRecord& record : updates) {
    if (std::isfinite(record.seconds)) {
      if (last != nullptr && is_resumed(*last, record)) before += last->seconds;
      last = &record;
    }
    seconds.push_back(before + record.seconds);
  }
  return seconds;
}

RunAxes run_axes(std::span<const LogRecord> updates) {
  RunAxes axes;
  const std::vector<double> seconds = training_seconds(updates);
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const LogRecord& record = updates[i];
    const auto steps = static_cast<double>(record.steps);
    if (!axes.steps.empty() && steps <= axes.steps.back()) continue;
    axes.steps.push_back(steps);
    axes.updates.push_back(static_cast<double>(record.gradient_updates.value_or(record.update)));
    axes.seconds.push_back(seconds[i]);
  }
  // Logs of other programs may lack one of them.
  const auto is_known = [](double value) { return std::isfinite(value) && value > 0; };
  if (!std::ranges::any_of(axes.updates, is_known)) axes.updates.clear();
  if (!std::ranges::all_of(axes.seconds, is_known)) axes.seconds.clear();
  return axes;
}

std::optional<double> RunAxes::at(Axis axis, double at_steps) const {
  const std::vector<double>& positions = axis == Axis::kUpdates ? updates : seconds;
  if (positions.empty()) return std::nullopt;
  return interpolate(steps, positions, at_steps);
}

}  // namespace plr::report
