#include "plr/report/log_means.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

namespace plr::report {
namespace {

// NaN for a field that is no real number or was not recorded.
template <class T>
double number_of(const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else if constexpr (std::is_same_v<T, std::optional<double>>) {
    return value.value_or(run::kMissing);
  } else {
    return run::kMissing;
  }
}

// The columns of the fields of LogRecord, in the order of visit_record(); columns.size() for none.
std::vector<std::size_t> columns_of_fields(std::span<const std::string_view> columns) {
  std::vector<std::size_t> list;
  const LogRecord record;
  run::visit_record(
      record, [&](std::string_view name, const auto&, run::Presence, std::string_view) {
        list.push_back(std::find(columns.begin(), columns.end(), name) - columns.begin());
      });
  return list;
}

}  // namespace

std::size_t updates_per_row(std::size_t num_updates, std::size_t max_rows) {
  return std::max<std::size_t>(1, (num_updates + max_rows - 1) / max_rows);
}

LogMeans log_means(std::span<const LogRecord> updates, std::span<const std::string_view> columns,
                   std::size_t max_rows) {
  const std::vector<std::size_t> column_of = columns_of_fields(columns);
  const std::size_t per_row = updates_per_row(updates.size(), max_rows);
  LogMeans means{.steps = {}, .values = std::vector<std::vector<double>>(columns.size())};
  for (std::size_t begin = 0; begin < updates.size(); begin += per_row) {
    std::vector<double> sums(columns.size(), 0.0);
    std::vector<double> counts(columns.size(), 0.0);
    const auto row = updates.subspan(begin, std::min(per_row, updates.size() - begin));
    for (const LogRecord& record : row) {
      std::size_t field = 0;
      run::visit_record(record,
                        [&](std::string_view, const auto& value, run::Presence, std::string_view) {
                          const std::size_t column = column_of[field++];
                          if (column == columns.size()) return;
                          const double number = number_of(value);
                          if (!std::isfinite(number)) return;
                          sums[column] += number;
                          counts[column] += 1;
                        });
    }
    means.steps.push_back(static_cast<double>(row.back().steps));
    for (std::size_t c = 0; c < columns.size(); ++c) {
      means.values[c].push_back(counts[c] > 0 ? sums[c] / counts[c] : run::kMissing);
    }
  }
  return means;
}

}  // namespace plr::report
