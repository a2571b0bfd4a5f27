#include "plr/report/difficulty.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "plr/catalog/short_name.h"
#include "plr/report/csv_files.h"
#include "plr/report/labels.h"

namespace plr::report {
namespace {

// The window of the moving mean is the number of records divided by this.
constexpr std::size_t kWindowsPerRun = 20;

// False for levels without degrees, and for a curriculum that keeps no levels.
bool has_probabilities(const RunData& run) {
  return std::ranges::any_of(run.curriculum, [](const LevelsRecord& record) {
    return std::ranges::any_of(record.by_difficulty, [](double share) { return share > 0; });
  });
}

DifficultyCurves average(const std::vector<const RunData*>& runs) {
  const std::size_t num_degrees = runs.front()->curriculum.front().by_difficulty.size();
  struct Sum {
    std::vector<double> shares;
    std::size_t num_runs = 0;
  };
  std::map<double, Sum> sums;  // by update
  for (const RunData* run : runs) {
    for (const LevelsRecord& record : run->curriculum) {
      if (record.by_difficulty.size() != num_degrees) continue;
      Sum& sum = sums.try_emplace(static_cast<double>(record.update),
                                  Sum{std::vector<double>(num_degrees)})
                     .first->second;
      for (std::size_t i = 0; i < num_degrees; ++i) sum.shares[i] += record.by_difficulty[i];
      ++sum.num_runs;
    }
  }
  DifficultyCurves curves;
  curves.num_runs = runs.size();
  curves.shares.resize(num_degrees);
  for (const auto& [update, sum] : sums) {
    if (sum.num_runs != runs.size()) continue;
    curves.updates.push_back(update);
    for (std::size_t i = 0; i < num_degrees; ++i) {
      curves.shares[i].push_back(sum.shares[i] / static_cast<double>(runs.size()));
    }
  }
  return curves;
}

}  // namespace

std::vector<DifficultyCurves> difficulty_curves(std::span<const RunData> runs,
                                                const Analysis& analysis) {
  // By environment and index of the label.
  std::map<std::pair<std::string, std::size_t>, std::vector<const RunData*>> groups;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunData& run = runs[i];
    if (!has_probabilities(run)) continue;
    groups[{run.env(), label_index(analysis.labels, analysis.run_labels[i])}].push_back(&run);
  }
  std::vector<DifficultyCurves> all;
  for (const auto& [key, members] : groups) {
    DifficultyCurves& curves = all.emplace_back(average(members));
    curves.env = key.first;
    curves.label = analysis.labels[key.second];
  }
  return all;
}

Chart difficulty_chart(const DifficultyCurves& curves) {
  Chart chart{.title = catalog::short_env_name(curves.env) + ", " + curves.label,
              .x_label = "updates",
              .y_label = "probability by difficulty",
              .x = curves.updates,
              .lines = {}};
  for (std::size_t degree = 0; degree < curves.shares.size(); ++degree) {
    chart.lines.push_back(
        {fmt::format("degree {}", degree + 1), smooth_shares(curves.shares[degree]), {}});
  }
  return chart;
}

std::string difficulty_csv(std::span<const RunData> runs, const Analysis& analysis) {
  std::string rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!has_probabilities(runs[i])) continue;
    const std::string run = run_cells(runs, analysis, i);
    for (const LevelsRecord& record : runs[i].curriculum) {
      rows +=
          fmt::format("{},{},{:.4f}\n", run, record.update, fmt::join(record.by_difficulty, " "));
    }
  }
  return rows.empty() ? "" : fmt::format("{},update,probabilities\n{}", kRunColumns, rows);
}

std::vector<double> moving_mean(std::span<const double> values, std::size_t window) {
  std::vector<double> means;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t begin = i < window / 2 ? 0 : i - window / 2;
    const std::size_t end = std::min(values.size(), i - window / 2 + window);
    double sum = 0;
    for (std::size_t j = begin; j < end; ++j) sum += values[j];
    means.push_back(sum / static_cast<double>(end - begin));
  }
  return means;
}

std::vector<double> smooth_shares(std::span<const double> shares) {
  return moving_mean(shares, std::max<std::size_t>(1, shares.size() / kWindowsPerRun));
}

}  // namespace plr::report
