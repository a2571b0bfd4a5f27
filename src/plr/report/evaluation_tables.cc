#include "plr/report/evaluation_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>

#include "plr/catalog/short_name.h"
#include "plr/report/cvar.h"
#include "plr/report/number_format.h"
#include "plr/report/solve_rates.h"
#include "plr/report/welch.h"
#include "plr/run/file_name.h"

namespace plr::report {
namespace {

constexpr double kPercent = 100;
constexpr const char* kErrorNote = "Mean and standard error over runs";

double standard_error(double deviation, std::size_t count) {
  return count < 2 ? 0 : deviation / std::sqrt(static_cast<double>(count));
}

// Fractions per run as "87.5 ± 1.2", a mean and its standard error in percent; CSV files have the
// standard deviation.
Cell percent_cell(const std::vector<double>& fractions, int decimals) {
  Cell cell;
  cell.value = summarize(fractions);
  cell.value.mean *= kPercent;
  cell.value.deviation *= kPercent;
  const auto& [count, mean, deviation] = cell.value;
  if (count == 0) return cell;
  cell.text = decimal(mean, decimals);
  if (count > 1) cell.text += " ± " + decimal(standard_error(deviation, count), decimals);
  return cell;
}

Cell estimate_cell(const std::optional<Estimate>& estimate) {
  Cell cell;
  if (!estimate) return cell;
  cell.text = decimal(kPercent * estimate->value, 1);
  if (const auto& interval = estimate->interval) {
    cell.text += fmt::format(" [{}, {}]", decimal(kPercent * interval->low, 1),
                             decimal(kPercent * interval->high, 1));
  }
  return cell;
}

void set_bold(Row& row) {
  std::vector<Summary> values;
  for (const Cell& cell : row.cells) values.push_back(cell.value);
  const std::vector<bool> bold = bold_methods(values);
  for (std::size_t i = 0; i < row.cells.size(); ++i) row.cells[i].is_bold = bold[i];
}

std::string unfinished_note(const SolveRates& rates, const Analysis& analysis) {
  if (!analysis.is_final) return ", none of which is finished: these are the latest numbers. ";
  if (rates.num_unfinished == 0) return ". ";
  return fmt::format(
      "; {} not finished and left out. ",
      rates.num_unfinished == 1 ? "one run is" : fmt::format("{} runs are", rates.num_unfinished));
}

std::string id_of(const char* prefix, const std::string& test_env) {
  return prefix + run::file_name(catalog::short_env_name(test_env));
}

Table solve_rate_table(const SolveRates& rates, const Analysis& analysis) {
  Table table{.id = id_of("solve-rates-", rates.test_env),
              .title = "Solve rate (%) on " + rates.test_env,
              .note = std::string(kErrorNote) + unfinished_note(rates, analysis) +
                      "Bold: the best and what is not significantly below it, unless that is all. "
                      "Interquartile mean: all levels and runs without the lowest and the highest "
                      "quarter. Intervals: 95 % (stratified bootstrap over runs).",
              .columns = {},
              .rows = {}};
  for (const SolveMethod& method : rates.methods) table.columns.push_back(method.name);
  for (std::size_t level = 0; level < rates.levels.size(); ++level) {
    Row& row = table.rows.emplace_back();
    row.name = rates.levels[level];
    for (const SolveMethod& method : rates.methods) {
      row.cells.push_back(percent_cell(method.rates[level], 1));
    }
    set_bold(row);
  }
  Row mean{.name = "mean over levels", .cells = {}, .decimals = 1, .is_total = true};
  Row interval{.name = "mean with interval", .cells = {}};
  Row interquartile{.name = "interquartile mean", .cells = {}};
  for (const SolveMethod& method : rates.methods) {
    mean.cells.push_back(percent_cell(method.means, 1));
    interval.cells.push_back(estimate_cell(method.mean));
    interquartile.cells.push_back(estimate_cell(method.interquartile));
  }
  set_bold(mean);
  for (const Row& row : {mean, interval, interquartile}) table.rows.push_back(row);
  return table;
}

Chart curve_chart(const SolveRates& rates, const std::vector<double>& x,
                  Curve SolveMethod::*curve) {
  Chart chart{.title = "Mean solve rate on " + rates.test_env,
              .y_label = "levels solved (%)",
              .x = x,
              .lines = {}};
  for (const SolveMethod& method : rates.methods) {
    ChartLine& line = chart.lines.emplace_back();
    line.name = method.name;
    const auto& [mean, deviation, count] = method.*curve;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      line.y.push_back(kPercent * mean[i]);
      line.band.push_back(kPercent * standard_error(deviation[i], count[i]));
    }
  }
  return chart;
}

// ---- the worst levels

// Runs whose cvar.csv has the same levels.
struct CvarGroup {
  std::size_t num_levels = 0;
  std::vector<MethodRuns> methods;
};

std::vector<CvarGroup> cvar_groups(std::span<const RunData> runs, const Analysis& analysis) {
  std::map<std::vector<std::uint64_t>, std::vector<std::size_t>> by_levels;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].cvar.empty()) continue;
    std::vector<std::uint64_t> levels;
    for (const run::CvarRow& row : runs[i].cvar) levels.push_back(row.level);
    by_levels[levels].push_back(i);
  }
  std::vector<CvarGroup> groups;
  for (const auto& [levels, members] : by_levels) {
    groups.push_back({levels.size(), method_runs(runs, analysis, members)});
  }
  return groups;
}

// The success of a method's runs on this fraction of the levels; empty if that is no level.
std::vector<double> cvar_values(std::span<const RunData> runs, const MethodRuns& method,
                                double fraction) {
  std::vector<double> values;
  for (const std::size_t i : method.runs) {
    if (const auto value = cvar(runs[i].cvar, fraction)) values.push_back(*value);
  }
  return values;
}

std::string percent_name(double fraction) { return fmt::format("{:g}", kPercent * fraction); }

// "cvar", and "cvar-2" for a second set of levels.
std::string cvar_id(std::size_t group) {
  return group == 0 ? "cvar" : fmt::format("cvar-{}", group + 1);
}

std::string cvar_title(const CvarGroup& group) {
  return fmt::format("Success (%) on the worst of {} solvable levels", group.num_levels);
}

Table cvar_table(std::span<const RunData> runs, const CvarGroup& group, std::size_t number) {
  Table table{.id = cvar_id(number),
              .title = cvar_title(group),
              .note = std::string(kErrorNote) +
                      ". Rows: the fraction of levels with the lowest success in one evaluation, "
                      "measured in another (conditional value at risk). 100 %: all levels.",
              .columns = {},
              .rows = {}};
  for (const MethodRuns& method : group.methods) table.columns.push_back(method.name);
  for (const double fraction : kCvarFractions) {
    Row row{.name = "worst " + percent_name(fraction) + " %", .cells = {}};
    for (const MethodRuns& method : group.methods) {
      row.cells.push_back(percent_cell(cvar_values(runs, method, fraction), 2));
    }
    if (row.cells.front().value.count == 0) continue;  // less than one level
    set_bold(row);
    table.rows.push_back(row);
  }
  return table;
}

Chart cvar_chart(std::span<const RunData> runs, const CvarGroup& group) {
  Chart chart{.title = cvar_title(group),
              .x_label = "worst levels (% of all)",
              .y_label = "success (%)",
              .x = {},
              .lines = {}};
  for (const MethodRuns& method : group.methods) chart.lines.push_back({method.name, {}, {}});
  for (const double fraction : kCvarFractions) {
    if (cvar_values(runs, group.methods.front(), fraction).empty()) continue;
    chart.x.push_back(static_cast<double>(chart.x.size()));
    chart.x_names.push_back(percent_name(fraction));
    for (std::size_t m = 0; m < group.methods.size(); ++m) {
      const Summary s = summarize(cvar_values(runs, group.methods[m], fraction));
      chart.lines[m].y.push_back(kPercent * s.mean);
      chart.lines[m].band.push_back(kPercent * standard_error(s.deviation, s.count));
    }
  }
  return chart;
}

}  // namespace

std::vector<Table> evaluation_tables(std::span<const RunData> runs, const Analysis& analysis) {
  std::vector<Table> tables;
  for (const SolveRates& rates : solve_rates(runs, analysis)) {
    tables.push_back(solve_rate_table(rates, analysis));
  }
  const std::vector<CvarGroup> groups = cvar_groups(runs, analysis);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    tables.push_back(cvar_table(runs, groups[i], i));
  }
  return tables;
}

std::vector<Figure> evaluation_figures(std::span<const RunData> runs, const Analysis& analysis) {
  std::vector<Figure> figures;
  for (const SolveRates& rates : solve_rates(runs, analysis)) {
    const std::string id = id_of("solve-rates-", rates.test_env);
    figures.push_back({id + "-steps", curve_chart(rates, rates.steps, &SolveMethod::by_steps)});
    if (rates.updates.empty()) continue;
    figures.push_back(
        {id + "-updates", curve_chart(rates, rates.updates, &SolveMethod::by_updates)});
    figures.back().chart.title += ", by gradient updates";
    figures.back().chart.x_label = "gradient updates (rollouts learned from)";
  }
  const std::vector<CvarGroup> groups = cvar_groups(runs, analysis);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    figures.push_back({cvar_id(i), cvar_chart(runs, groups[i])});
  }
  return figures;
}

}  // namespace plr::report
