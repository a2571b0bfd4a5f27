#include "plr/report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "plr/base/closest_name.h"
#include "plr/catalog/short_name.h"
#include "plr/report/labels.h"
#include "plr/report/welch.h"

namespace plr::report {
namespace {

// As the paper prints them: two decimals of returns up to about 1, one of larger ones.
int decimals_for(const std::vector<Cell>& cells) {
  double largest = 0;
  for (const Cell& cell : cells) largest = std::max(largest, std::abs(cell.value.mean));
  return largest < 2 ? 2 : 1;
}

void make_bold(std::vector<Cell>& cells) {
  std::vector<Summary> values;
  for (const Cell& cell : cells) values.push_back(cell.value);
  const std::vector<bool> bold = bold_methods(values);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i].is_bold = bold[i];
}

// A row with one cell per method, of the numbers that `numbers` finds in the method's result.
template <class Method, class Numbers>
Row row_of(const std::string& name, const std::vector<Method>& methods, double factor,
           Numbers numbers) {
  Row row{.name = name, .cells = {}};
  for (const Method& method : methods) {
    Cell& cell = row.cells.emplace_back();
    cell.value = summary_of(numbers(method));
    cell.value.mean *= factor;
    cell.value.deviation *= factor;
  }
  row.decimals = factor == 1 ? decimals_for(row.cells) : 1;
  return row;
}

std::string runs_note(const Analysis& analysis) {
  std::size_t fewest = std::string::npos;
  std::size_t most = 0;
  for (const EnvResult& env : analysis.envs) {
    for (const MethodResult& method : env.methods) {
      if (method.final.test.empty()) continue;
      fewest = std::min(fewest, method.final.test.size());
      most = std::max(most, method.final.test.size());
    }
  }
  if (most == 0) return "No run has been evaluated yet.";
  std::string note = "Mean and standard deviation over ";
  note += fewest == most ? fmt::format("{} run{}", most, most == 1 ? "" : "s")
                         : fmt::format("{} to {} runs", fewest, most);
  if (!analysis.is_final) note += ", none of which is finished: these are the latest numbers";
  return note + ".";
}

std::string stars_note(const Analysis& analysis) {
  if (!analysis.baseline) return "";
  return fmt::format(
      " ★ the final return, ▲ the curve averaged over training is significantly above that of {} "
      "(Welch's t-test, two-sided, p < {}).",
      analysis.labels[*analysis.baseline], kSignificant);
}

std::size_t index_of(const Analysis& analysis, const std::string& label) {
  const auto found = std::find(analysis.labels.begin(), analysis.labels.end(), label);
  if (found == analysis.labels.end()) {
    throw std::invalid_argument("--compare: no run has the method '" + label + "'; did you mean " +
                                closest_name(label, analysis.labels) + "?");
  }
  return static_cast<std::size_t>(found - analysis.labels.begin());
}

Cell text_cell(std::string text) {
  Cell cell;
  cell.text = std::move(text);
  return cell;
}

Cell chance_cell(const std::vector<double>& a, const std::vector<double>& b) {
  const std::optional<Welch> test = welch(summary_of(a), summary_of(b));
  if (!test) return text_cell("-");
  Cell cell = text_cell(test->p < 1e-4 ? fmt::format("{:.0e}", test->p) : decimal(test->p, 4));
  cell.is_bold = test->p < kSignificant;
  return cell;
}

}  // namespace

Table final_returns(const Analysis& analysis) {
  Table table{
      .id = "returns",
      .title = "Test return on levels never seen",
      .note = runs_note(analysis) +
              " Bold: the best and what is not significantly below it, unless that is all." +
              stars_note(analysis),
      .columns = analysis.labels,
      .rows = {}};
  for (const FamilyResult& family : analysis.families) {
    for (const std::size_t e : family.envs) {
      const EnvResult& env = analysis.envs[e];
      Row row = row_of(catalog::short_env_name(env.env), env.methods, 1,
                       [](const MethodResult& m) { return m.final.test; });
      make_bold(row.cells);
      for (std::size_t m = 0; m < row.cells.size(); ++m) {
        row.cells[m].has_star = env.methods[m].stars.final;
        row.cells[m].has_triangle = env.methods[m].stars.height;
      }
      table.rows.push_back(row);
    }
    if (!analysis.baseline) continue;
    Row row = row_of(
        fmt::format("{}: relative to {} (%)", family.name, analysis.labels[*analysis.baseline]),
        family.methods, 100, [](const FamilyMethod& m) { return m.relative; });
    make_bold(row.cells);
    row.is_total = true;
    table.rows.push_back(row);
  }
  return table;
}

Table final_gaps(const Analysis& analysis) {
  Table table{.id = "gaps",
              .title = "Generalization gap: return on training levels minus return on test levels",
              .note = runs_note(analysis),
              .columns = analysis.labels,
              .rows = {}};
  if (analysis.baseline) {
    table.note += fmt::format(" ★ significantly smaller than that of {}.",
                              analysis.labels[*analysis.baseline]);
  }
  for (const EnvResult& env : analysis.envs) {
    Row row = row_of(catalog::short_env_name(env.env), env.methods, 1,
                     [](const MethodResult& m) { return m.final.gap; });
    for (std::size_t m = 0; m < row.cells.size(); ++m) {
      row.cells[m].has_star = env.methods[m].stars.gap;
    }
    table.rows.push_back(row);
  }
  return table;
}

Table robust_numbers(const Analysis& analysis) {
  Table table{.id = "robust",
              .title = "Success, the worst levels, and the interquartile mean",
              .note = runs_note(analysis) +
                      " Worst tenth: mean return on the 10 % of the test levels that went worst. "
                      "Interquartile mean of the min-max normalized returns of all environments "
                      "and runs, with a 95 % interval (stratified bootstrap).",
              .columns = analysis.labels,
              .rows = {}};
  for (const EnvResult& env : analysis.envs) {
    const std::string name = catalog::short_env_name(env.env);
    table.rows.push_back(row_of(name + ": success (%)", env.methods, 100,
                                [](const MethodResult& m) { return m.final.success; }));
    table.rows.push_back(row_of(name + ": worst tenth", env.methods, 1,
                                [](const MethodResult& m) { return m.final.worst; }));
  }
  for (const FamilyResult& family : analysis.families) {
    Row row{.name = family.name + ": interquartile mean", .cells = {}, .decimals = 2};
    row.is_total = true;
    for (const FamilyMethod& method : family.methods) {
      row.cells.push_back(text_cell(
          method.interquartile ? fmt::format("{:.3f} [{:.3f}, {:.3f}]", *method.interquartile,
                                             method.interval.low, method.interval.high)
                               : "-"));
    }
    table.rows.push_back(row);
  }
  return table;
}

Table comparison(const Analysis& analysis, const std::string& a, const std::string& b) {
  const std::size_t first = index_of(analysis, a);
  const std::size_t second = index_of(analysis, b);
  Table table{.id = "comparison",
              .title = fmt::format("{} against {}", a, b),
              .note =
                  "p: how probable so large a difference of the means would be if there were "
                  "none (Welch's t-test, two-sided); bold below 0.05.",
              .columns = {a, b, "difference", "p: final return", "p: curve", "p: gap"},
              .rows = {}};
  for (const EnvResult& env : analysis.envs) {
    const FinalNumbers& x = env.methods[first].final;
    const FinalNumbers& y = env.methods[second].final;
    Row row = row_of(catalog::short_env_name(env.env),
                     std::vector{env.methods[first], env.methods[second]}, 1,
                     [](const MethodResult& m) { return m.final.test; });
    const bool has_both = !x.test.empty() && !y.test.empty();
    const double difference = row.cells[0].value.mean - row.cells[1].value.mean;
    row.cells.push_back(
        text_cell(has_both ? fmt::format("{:+.{}f}", difference, row.decimals + 1) : "-"));
    row.cells.push_back(chance_cell(x.test, y.test));
    row.cells.push_back(chance_cell(x.height, y.height));
    row.cells.push_back(chance_cell(x.gap, y.gap));
    table.rows.push_back(row);
  }
  return table;
}

std::string decimal(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  // A little below nothing is nothing.
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text.starts_with('-') ? text.substr(1) : text;
}

}  // namespace plr::report
