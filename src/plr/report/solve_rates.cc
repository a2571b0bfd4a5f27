#include "plr/report/solve_rates.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "plr/catalog/short_name.h"
#include "plr/report/curves.h"
#include "plr/report/labels.h"

namespace plr::report {
namespace {

constexpr std::size_t kMaxPoints = 400;  // of a curve

double rate(const run::TestLevel& level) {
  return static_cast<double>(level.solved) / static_cast<double>(level.episodes);
}

// The mean solve rate of the levels of an evaluation.
double mean_rate(const EvalRecord& evaluation) {
  double sum = 0;
  for (const run::TestLevel& level : evaluation.test_levels) sum += rate(level);
  return sum / static_cast<double>(evaluation.test_levels.size());
}

// A run's mean solve rate over its environment steps or gradient updates.
struct Series {
  std::vector<double> x;
  std::vector<double> y;
  bool is_finished = false;  // of the run
};

Series by_steps(const RunData& run) {
  Series series{.x = {}, .y = {}, .is_finished = run.is_finished};
  for (const EvalRecord& evaluation : run.evaluations) {
    if (evaluation.test_levels.empty()) continue;
    series.x.push_back(static_cast<double>(evaluation.steps));
    series.y.push_back(mean_rate(evaluation));
  }
  return series;
}

// The log has the number of gradient updates where the agent does not learn from every rollout.
bool skips_rollouts(const RunData& run) {
  return std::ranges::any_of(run.updates,
                             [](const LogRecord& r) { return r.gradient_updates.has_value(); });
}

Series by_updates(const RunData& run) {
  std::map<std::int64_t, std::int64_t> gradient_updates;  // by update
  for (const LogRecord& record : run.updates) {
    gradient_updates[record.update] = record.gradient_updates.value_or(record.update);
  }
  Series series{.x = {}, .y = {}, .is_finished = run.is_finished};
  for (const EvalRecord& evaluation : run.evaluations) {
    const auto found = gradient_updates.find(evaluation.update);
    if (evaluation.test_levels.empty() || found == gradient_updates.end()) continue;
    const auto x = static_cast<double>(found->second);
    // No gradient update since the last evaluation: the later one counts.
    if (!series.x.empty() && series.x.back() == x) {
      series.y.back() = mean_rate(evaluation);
      continue;
    }
    series.x.push_back(x);
    series.y.push_back(mean_rate(evaluation));
  }
  return series;
}

// All points of the series, subsampled evenly.
std::vector<double> points_of(const std::vector<std::vector<Series>>& methods) {
  std::set<double> all;
  for (const std::vector<Series>& method : methods) {
    for (const Series& series : method) all.insert(series.x.begin(), series.x.end());
  }
  return subsampled(std::vector<double>(all.begin(), all.end()), kMaxPoints);
}

// Finished runs end after different numbers of gradient updates. A point that not all of them have
// is left out: the last points would be means of one or two runs.
Curve curve_of(const std::vector<Series>& method, const std::vector<double>& points) {
  return mean_curve(points.size(), [&](std::size_t point) {
    std::vector<double> values;
    for (const Series& series : method) {
      const auto value = interpolate(series.x, series.y, points[point]);
      if (value) values.push_back(*value);
      if (!value && series.is_finished) return Summary{};
    }
    return summarize(values);
  });
}

template <class SeriesOf>
std::vector<std::vector<Series>> series_of(std::span<const RunData> runs,
                                           const std::vector<MethodRuns>& methods,
                                           SeriesOf series_of_run) {
  std::vector<std::vector<Series>> all;
  for (const MethodRuns& method : methods) {
    std::vector<Series>& list = all.emplace_back();
    for (const std::size_t i : method.runs) list.push_back(series_of_run(runs[i]));
  }
  return all;
}

// The names of all levels, in the order of their first occurrence.
std::vector<std::string> level_names(std::span<const RunData> runs,
                                     std::span<const std::size_t> members) {
  std::vector<std::string> names;
  for (const std::size_t i : members) {
    for (const run::TestLevel& level : runs[i].evaluations.back().test_levels) {
      if (std::ranges::find(names, level.name) == names.end()) names.push_back(level.name);
    }
  }
  return names;
}

void add_final_rates(const EvalRecord& last, const std::vector<std::string>& levels,
                     SolveMethod& method) {
  if (last.test_levels.empty()) return;
  for (const run::TestLevel& level : last.test_levels) {
    const auto at = std::ranges::find(levels, level.name) - levels.begin();
    method.rates[static_cast<std::size_t>(at)].push_back(rate(level));
  }
  method.means.push_back(mean_rate(last));
}

void add_estimates(SolveMethod& method) {
  Matrix played = method.rates;
  std::erase_if(played, [](const std::vector<double>& row) { return row.empty(); });
  if (played.empty()) return;
  std::vector<double> pooled;
  for (const auto& row : played) pooled.insert(pooled.end(), row.begin(), row.end());
  method.mean = {.value = summarize(pooled).mean};
  method.interquartile = {.value = interquartile_mean(pooled)};
  if (method.means.size() < 2) return;
  const Random random = Streams(1).named("bootstrap");
  method.mean->interval = mean_interval(played, random);
  method.interquartile->interval = interquartile_interval(played, random);
}

SolveRates rates_of(std::span<const RunData> runs, const Analysis& analysis,
                    const std::string& test_env, const std::vector<std::size_t>& members) {
  SolveRates result{.test_env = test_env,
                    .levels = level_names(runs, members),
                    .num_unfinished = static_cast<std::size_t>(std::ranges::count_if(
                        members, [&](std::size_t i) { return !runs[i].is_finished; })),
                    .steps = {},
                    .updates = {},
                    .methods = {}};
  const std::vector<MethodRuns> methods = method_runs(runs, analysis, members);
  const auto steps = series_of(runs, methods, by_steps);
  result.steps = points_of(steps);
  const auto updates = series_of(runs, methods, by_updates);
  if (std::ranges::any_of(members, [&](std::size_t i) { return skips_rollouts(runs[i]); })) {
    result.updates = points_of(updates);
  }
  for (std::size_t m = 0; m < methods.size(); ++m) {
    SolveMethod& method = result.methods.emplace_back();
    method.name = methods[m].name;
    method.rates.resize(result.levels.size());
    for (const std::size_t i : methods[m].runs) {
      const bool has_final_numbers = runs[i].is_finished || !analysis.is_final;
      if (has_final_numbers) add_final_rates(runs[i].evaluations.back(), result.levels, method);
    }
    add_estimates(method);
    method.by_steps = curve_of(steps[m], result.steps);
    method.by_updates = curve_of(updates[m], result.updates);
  }
  return result;
}

}  // namespace

std::vector<MethodRuns> method_runs(std::span<const RunData> runs, const Analysis& analysis,
                                    std::span<const std::size_t> members) {
  // By index of the label, and environment.
  std::map<std::pair<std::size_t, std::string>, std::vector<std::size_t>> groups;
  std::set<std::string> envs;
  for (const std::size_t i : members) {
    groups[{label_index(analysis.labels, analysis.run_labels[i]), runs[i].env()}].push_back(i);
    envs.insert(runs[i].env());
  }
  std::vector<MethodRuns> methods;
  for (auto& [key, list] : groups) {
    std::string name = analysis.labels[key.first];
    if (envs.size() > 1) name += " (" + catalog::short_env_name(key.second) + ")";
    methods.push_back({.name = std::move(name), .runs = std::move(list)});
  }
  return methods;
}

std::vector<SolveRates> solve_rates(std::span<const RunData> runs, const Analysis& analysis) {
  std::map<std::string, std::vector<std::size_t>> by_test_env;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool has_levels = std::ranges::any_of(
        runs[i].evaluations, [](const EvalRecord& e) { return !e.test_levels.empty(); });
    if (has_levels) by_test_env[runs[i].setting("test_env")].push_back(i);
  }
  std::vector<SolveRates> all;
  for (const auto& [test_env, members] : by_test_env) {
    all.push_back(rates_of(runs, analysis, test_env, members));
  }
  return all;
}

}  // namespace plr::report
