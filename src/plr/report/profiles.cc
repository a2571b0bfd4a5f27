#include "plr/report/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "plr/report/labels.h"
#include "plr/run/file_name.h"

namespace plr::report {
namespace {

constexpr std::size_t kNumThresholds = 101;
constexpr std::size_t kMinRuns = 3;  // of a method in a family, for a profile
constexpr double kRoundedTo = 0.1;   // ends of the thresholds

Random bootstrap_stream() { return Streams(1).named("bootstrap"); }

bool is_empty(const std::vector<double>& row) { return row.empty(); }

// For each score, the number of thresholds below it.
std::vector<std::vector<std::size_t>> thresholds_below(const Matrix& scores,
                                                       std::span<const double> thresholds) {
  std::vector<std::vector<std::size_t>> counts;
  for (const std::vector<double>& row : scores) {
    auto& numbers = counts.emplace_back();
    for (const double score : row) {
      const auto end = std::lower_bound(thresholds.begin(), thresholds.end(), score);
      numbers.push_back(end - thresholds.begin());
    }
  }
  return counts;
}

// The profile of the runs that `index(environment, k)` chooses.
template <class Index>
std::vector<double> profile_of(const std::vector<std::vector<std::size_t>>& below,
                               std::size_t num_thresholds, Index index) {
  // weight[n]: the runs above exactly the first n thresholds.
  std::vector<double> weight(num_thresholds + 1, 0.0);
  for (std::size_t e = 0; e < below.size(); ++e) {
    const double one = 1.0 / static_cast<double>(below.size() * below[e].size());
    for (std::size_t k = 0; k < below[e].size(); ++k) weight[below[e][index(e, k)]] += one;
  }
  std::vector<double> fractions(num_thresholds);
  double above = 0;
  for (std::size_t t = num_thresholds; t-- > 0;) {
    above += weight[t + 1];
    fractions[t] = std::min(above, 1.0);  // the sum of rounded weights may exceed 1
  }
  return fractions;
}

std::vector<double> common_thresholds(const std::vector<Matrix>& methods) {
  double low = 0;
  double high = 1;
  for (const Matrix& scores : methods) {
    for (const std::vector<double>& row : scores) {
      for (const double score : row) {
        low = std::min(low, score);
        high = std::max(high, score);
      }
    }
  }
  low = kRoundedTo * std::floor(low / kRoundedTo);
  high = kRoundedTo * std::ceil(high / kRoundedTo - 1e-9);
  std::vector<double> thresholds;
  for (std::size_t i = 0; i < kNumThresholds; ++i) {
    thresholds.push_back(low + (high - low) * static_cast<double>(i) / (kNumThresholds - 1));
  }
  return thresholds;
}

std::size_t num_runs(const Matrix& scores) {
  std::size_t count = 0;
  for (const auto& row : scores) count += row.size();
  return count;
}

}  // namespace

Matrix normalized_returns(const Analysis& analysis, const FamilyResult& family,
                          std::size_t method) {
  Matrix scores;
  for (const std::size_t e : family.envs) {
    const EnvResult& env = analysis.envs[e];
    std::vector<double>& row = scores.emplace_back(env.methods[method].final.test);
    for (double& value : row) value = min_max_normalized(value, env.range);
  }
  return std::ranges::any_of(scores, is_empty) ? Matrix{} : scores;
}

std::vector<double> profile(const Matrix& scores, std::span<const double> thresholds) {
  return profile_of(thresholds_below(scores, thresholds), thresholds.size(),
                    [](std::size_t, std::size_t k) { return k; });
}

std::vector<Interval> profile_intervals(const Matrix& scores, std::span<const double> thresholds,
                                        Random random, int num_resamples) {
  const auto below = thresholds_below(scores, thresholds);
  Matrix fractions(thresholds.size());  // [threshold][resample]
  for (int i = 0; i < num_resamples; ++i) {
    const std::vector<double> resampled =
        profile_of(below, thresholds.size(),
                   [&](std::size_t e, std::size_t) { return random.below(below[e].size()); });
    for (std::size_t t = 0; t < resampled.size(); ++t) fractions[t].push_back(resampled[t]);
  }
  std::vector<Interval> intervals;
  for (std::vector<double>& row : fractions) intervals.push_back(middle_interval(std::move(row)));
  return intervals;
}

double probability_of_improvement(const Matrix& x, const Matrix& y) {
  assert(x.size() == y.size() && !x.empty());
  double sum = 0;
  for (std::size_t e = 0; e < x.size(); ++e) {
    double wins = 0;
    for (const double a : x[e]) {
      for (const double b : y[e]) wins += a > b ? 1 : a == b ? 0.5 : 0;
    }
    sum += wins / static_cast<double>(x[e].size() * y[e].size());
  }
  return sum / static_cast<double>(x.size());
}

Interval improvement_interval(const Matrix& x, const Matrix& y, Random random, int num_resamples) {
  std::vector<double> probabilities;
  Matrix a = x;
  Matrix b = y;
  for (int i = 0; i < num_resamples; ++i) {
    resample(x, random, a);
    resample(y, random, b);
    probabilities.push_back(probability_of_improvement(a, b));
  }
  return middle_interval(std::move(probabilities));
}

std::vector<Improvement> improvements(const Analysis& analysis,
                                      const std::optional<Comparison>& compare) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (compare) {
    pairs.emplace_back(label_index(analysis.labels, compare->a),
                       label_index(analysis.labels, compare->b));
  }
  for (std::size_t m = 0; analysis.baseline && m < analysis.labels.size(); ++m) {
    const std::pair pair(m, *analysis.baseline);
    if (m != *analysis.baseline && (pairs.empty() || pairs.front() != pair)) pairs.push_back(pair);
  }
  std::vector<Improvement> list;
  for (const FamilyResult& family : analysis.families) {
    for (const auto& [m, other] : pairs) {
      const Matrix x = normalized_returns(analysis, family, m);
      const Matrix y = normalized_returns(analysis, family, other);
      if (x.empty() || y.empty() || !can_resample(x) || !can_resample(y)) continue;
      list.push_back({.family = family.name,
                      .method = analysis.labels[m],
                      .other = analysis.labels[other],
                      .probability = probability_of_improvement(x, y),
                      .interval = improvement_interval(x, y, bootstrap_stream())});
    }
  }
  return list;
}

Table improvement_table(std::span<const Improvement> improvements) {
  Table table{.id = "improvement",
              .title = "Probability of improvement",
              .note =
                  "How probably a run of the first method has a higher final test return than "
                  "a run of the second in the same environment, averaged over environments; "
                  "0.5: neither is better. With 95 % intervals (stratified bootstrap), as in "
                  "rliable. Bold: the interval excludes 0.5.",
              .columns = {"probability", "95 % interval"},
              .rows = {}};
  for (const Improvement& i : improvements) {
    Row& row = table.rows.emplace_back();
    row.name = fmt::format("{}: {} > {}", i.family, i.method, i.other);
    Cell& cell = row.cells.emplace_back();
    cell.text = fmt::format("{:.2f}", i.probability);
    cell.is_bold = i.interval.low > 0.5 || i.interval.high < 0.5;
    row.cells.emplace_back().text =
        fmt::format("[{:.2f}, {:.2f}]", i.interval.low, i.interval.high);
  }
  return table;
}

std::vector<Profiles> profiles(const Analysis& analysis) {
  std::vector<Profiles> list;
  for (const FamilyResult& family : analysis.families) {
    std::vector<Matrix> methods;
    for (std::size_t m = 0; m < analysis.labels.size(); ++m) {
      methods.push_back(normalized_returns(analysis, family, m));
    }
    Profiles result{.family = family.name, .thresholds = common_thresholds(methods), .lines = {}};
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const Matrix& scores = methods[m];
      if (num_runs(scores) < kMinRuns) continue;
      Profiles::Line& line = result.lines.emplace_back();
      line.method = analysis.labels[m];
      line.fractions = profile(scores, result.thresholds);
      if (!can_resample(scores)) continue;
      line.intervals = profile_intervals(scores, result.thresholds, bootstrap_stream());
    }
    if (!result.lines.empty()) list.push_back(std::move(result));
  }
  return list;
}

Figure profile_figure(const Profiles& profiles) {
  Chart chart{.title = "Performance profile of " + profiles.family,
              .x_label = "normalized test return τ",
              .y_label = "fraction of runs above τ",
              .x = profiles.thresholds,
              .lines = {}};
  for (const Profiles::Line& line : profiles.lines) {
    ChartLine& drawn = chart.lines.emplace_back();
    drawn.name = line.method;
    drawn.y = line.fractions;
    for (std::size_t t = 0; t < line.intervals.size(); ++t) {
      drawn.band.push_back(line.intervals[t].high - line.fractions[t]);
      drawn.below.push_back(line.fractions[t] - line.intervals[t].low);
    }
  }
  return {"profile-" + run::file_name(profiles.family), std::move(chart)};
}

}  // namespace plr::report
