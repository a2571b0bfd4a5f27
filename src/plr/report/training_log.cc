#include "plr/report/training_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "plr/report/csv_files.h"
#include "plr/report/log_means.h"

namespace plr::report {
namespace {

// Fields of LogRecord.
constexpr std::array<std::string_view, 9> kColumns = {"return",
                                                      "length",
                                                      "value_loss",
                                                      "entropy",
                                                      "clip_fraction",
                                                      "approx_kl",
                                                      "explained_variance",
                                                      "return_deviation",
                                                      "advantage_deviation"};

// "crop:7 flip:2": how many of these updates used each augmentation.
std::string count_augmentations(std::span<const LogRecord> updates) {
  if (updates.size() == 1 && updates[0].augmentation.value_or("").find(':') != std::string::npos) {
    return *updates[0].augmentation;  // counts already
  }
  std::map<std::string, std::size_t> counts;
  for (const LogRecord& record : updates) {
    if (record.augmentation) ++counts[*record.augmentation];
  }
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format("{}:{}", name, count));
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace

bool is_training_column(std::string_view name) {
  return std::ranges::find(kColumns, name) != kColumns.end();
}

std::string training_csv(std::span<const RunData> runs, const Analysis& analysis) {
  std::string csv =
      fmt::format("{},steps,{},augmentation\n", kRunColumns, fmt::join(kColumns, ","));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string run = run_cells(runs, analysis, i);
    const std::span<const LogRecord> updates = runs[i].updates;
    const std::size_t per_row = updates_per_row(updates.size(), kMaxTrainingRows);
    const LogMeans means = log_means(updates, kColumns, kMaxTrainingRows);
    for (std::size_t r = 0; r < means.steps.size(); ++r) {
      csv += fmt::format("{},{:.0f}", run, means.steps[r]);
      for (const std::vector<double>& column : means.values) {
        csv += std::isfinite(column[r]) ? fmt::format(",{:.4g}", column[r]) : ",";
      }
      const std::size_t begin = r * per_row;
      const auto row = updates.subspan(begin, std::min(per_row, updates.size() - begin));
      csv += fmt::format(",{}\n", count_augmentations(row));
    }
  }
  return csv;
}

}  // namespace plr::report
