// Numbers of a run's log (run/records.h, LogRecord) as columns, thinned to a number of rows.
//
// A row is the mean over consecutive updates, so that a thinned column keeps the level of a noisy
// quantity and loses only its noise.
//
//   const LogMeans log = log_means(run.updates, {{"entropy", "value_loss"}}, 200);
//   log.values[0]     // the entropies, at log.steps
//
// Copyable values; the function is thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "plr/report/run_data.h"

namespace plr::report {

struct LogMeans {
  std::vector<double> steps;                // [row], after the last update of the row; increasing
  std::vector<std::vector<double>> values;  // [column][row]; NaN if no update recorded it
};

// The number of updates per row.
std::size_t updates_per_row(std::size_t num_updates, std::size_t max_rows);

// `columns` are names of fields. A column of a name that is no number of LogRecord has no values.
// REQUIRES: `max_rows` is above 0.
LogMeans log_means(std::span<const LogRecord> updates, std::span<const std::string_view> columns,
                   std::size_t max_rows);

}  // namespace plr::report
