#include "plr/report/training_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plr/report/escaping.h"

namespace plr::report {
namespace {

// Fields of LogRecord. A field that LogRecord does not have is an empty column.
constexpr std::array<std::string_view, 9> kColumns = {"return",
                                                      "length",
                                                      "value_loss",
                                                      "entropy",
                                                      "clip_fraction",
                                                      "approx_kl",
                                                      "explained_variance",
                                                      "return_deviation",
                                                      "advantage_deviation"};

// The columns of the fields of LogRecord, in the order of visit_record(); kColumns.size() for none.
const std::vector<std::size_t>& columns_of_fields() {
  static const std::vector<std::size_t> columns = [] {
    std::vector<std::size_t> list;
    const LogRecord record;
    run::visit_record(
        record, [&](std::string_view name, const auto&, run::Presence, std::string_view) {
          list.push_back(std::find(kColumns.begin(), kColumns.end(), name) - kColumns.begin());
        });
    return list;
  }();
  return columns;
}

// The mean of consecutive updates.
class Row {
 public:
  void add(const LogRecord& record) {
    std::size_t field = 0;
    run::visit_record(
        record, [&](std::string_view, const auto& value, run::Presence, std::string_view) {
          const std::size_t column = columns_of_fields()[field++];
          if (column == kColumns.size()) return;
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, double>) {
            if (std::isfinite(value)) {
              sums_[column] += value;
              ++counts_[column];
            }
          }
        });
    if (record.augmentation) ++augmentations_[*record.augmentation];
    steps_ = record.steps;
  }

  std::string text() const {
    std::string text = fmt::format("{}", steps_);
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      text += counts_[i] > 0 ? fmt::format(",{:.4g}", sums_[i] / counts_[i]) : ",";
    }
    std::vector<std::string> augmentations;
    for (const auto& [name, count] : augmentations_) {
      augmentations.push_back(fmt::format("{}:{}", name, count));
    }
    return text + fmt::format(",{}\n", fmt::join(augmentations, " "));
  }

 private:
  std::array<double, kColumns.size()> sums_ = {};
  std::array<double, kColumns.size()> counts_ = {};
  std::map<std::string, std::size_t> augmentations_;
  std::int64_t steps_ = 0;  // after the last update
};

}  // namespace

std::string training_csv(std::span<const RunData> runs, const Analysis& analysis) {
  std::string csv =
      fmt::format("env,method,seed,steps,{},augmentation\n", fmt::join(kColumns, ","));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string run = fmt::format(
        "{},{},{}", runs[i].env(), csv_quoted(analysis.run_labels[i]), runs[i].setting("seed"));
    const std::vector<LogRecord>& updates = runs[i].updates;
    const std::size_t per_row = (updates.size() + kMaxTrainingRows - 1) / kMaxTrainingRows;
    for (std::size_t begin = 0; begin < updates.size(); begin += per_row) {
      Row row;
      const std::size_t end = std::min(begin + per_row, updates.size());
      for (std::size_t u = begin; u < end; ++u) row.add(updates[u]);
      csv += run + "," + row.text();
    }
  }
  return csv;
}

}  // namespace plr::report
