#include "plr/report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "plr/base/counted.h"
#include "plr/catalog/short_name.h"
#include "plr/report/labels.h"
#include "plr/report/number_format.h"
#include "plr/report/profiles.h"
#include "plr/report/welch.h"

namespace plr::report {
namespace {

constexpr double kPercent = 100;
constexpr int kPercentDecimals = 1;

// As in the paper: two decimals for returns below 2, one for larger returns.
int choose_decimals(const std::vector<Cell>& cells) {
  double largest = 0;
  for (const Cell& cell : cells) largest = std::max(largest, std::abs(cell.value.mean));
  constexpr double kTwoDecimalsBelow = 2;
  return largest < kTwoDecimalsBelow ? 2 : 1;
}

void set_bold(std::vector<Cell>& cells) {
  std::vector<Summary> values;
  for (const Cell& cell : cells) values.push_back(cell.value);
  const std::vector<bool> bold = bold_methods(values);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i].is_bold = bold[i];
}

// A row with one cell per method: the summary of `numbers(method)` times `factor`.
template <class Method, class Numbers>
Row make_row(const std::string& name, const std::vector<Method>& methods, double factor,
             Numbers numbers) {
  Row row{.name = name, .cells = {}};
  for (const Method& method : methods) {
    row.cells.emplace_back().value = scaled(summarize(numbers(method)), factor);
  }
  row.decimals = factor == 1 ? choose_decimals(row.cells) : kPercentDecimals;
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
  note += fewest == most ? counted(most, "run") : fmt::format("{} to {} runs", fewest, most);
  if (!analysis.is_final) note += ", none of which is finished: these are the latest numbers";
  return note + ".";
}

std::string marks_note(const Analysis& analysis) {
  if (!analysis.baseline) return "";
  return fmt::format(
      " ★ the final return, ▲ the curve averaged over training is significantly above that of {} "
      "(Welch's t-test, two-sided, p < {}).",
      analysis.labels[*analysis.baseline], kSignificanceLevel);
}

std::string means_note(const Analysis& analysis) {
  const bool has_means = std::ranges::any_of(analysis.families, &FamilyResult::has_mean);
  return has_means ? " Means are over environments, of the k-th runs of each; normalized ones are "
                     "min-max normalized."
                   : "";
}

// One environment's row of final numbers, with stars.
Row env_row(const EnvResult& env, std::vector<double> FinalNumbers::*numbers,
            bool Significance::*star) {
  Row row = make_row(catalog::short_env_name(env.env), env.methods, 1,
                     [&](const MethodResult& m) { return m.final.*numbers; });
  for (std::size_t m = 0; m < row.cells.size(); ++m) {
    row.cells[m].has_star = env.methods[m].significance.*star;
  }
  return row;
}

// The means over the environments of a family, normalized and not, with stars; nothing for a family
// of one environment.
void add_family_rows(const FamilyResult& family, const char* what, Summary FamilyNumbers::*numbers,
                     bool Significance::*star, Table& table) {
  if (!family.has_mean()) return;
  for (FamilyNumbers FamilyMethod::*kind :
       {&FamilyMethod::normalized, &FamilyMethod::unnormalized}) {
    const bool is_normalized = kind == &FamilyMethod::normalized;
    const std::string name =
        is_normalized ? fmt::format("mean normalized {} (%)", what) : fmt::format("mean {}", what);
    Row row = make_row(family.name + ": " + name, family.methods, is_normalized ? kPercent : 1,
                       [&](const FamilyMethod& m) { return m.*kind.*numbers; });
    row.is_total = is_normalized && !table.rows.back().is_total;
    for (std::size_t m = 0; m < row.cells.size(); ++m) {
      row.cells[m].has_star = (family.methods[m].*kind).significance.*star;
    }
    table.rows.push_back(row);
  }
}

Cell text_cell(std::string text) {
  Cell cell;
  cell.text = std::move(text);
  return cell;
}

// The p-value of the difference of two samples' means.
Cell p_value_cell(const Summary& a, const Summary& b) {
  constexpr int kDecimals = 4;
  constexpr double kSmallestDecimal = 1e-4;
  const std::optional<Welch> test = welch(a, b);
  if (!test) return text_cell("-");
  Cell cell = text_cell(test->p < kSmallestDecimal ? fmt::format("{:.0e}", test->p)
                                                   : decimal(test->p, kDecimals));
  cell.is_bold = test->p < kSignificanceLevel;
  return cell;
}

}  // namespace

Table final_returns(const Analysis& analysis) {
  Table table{
      .id = "returns",
      .title = "Test return on levels never seen",
      .note = runs_note(analysis) +
              " Bold: the best and what is not significantly below it, unless that is all." +
              marks_note(analysis) + means_note(analysis),
      .columns = analysis.labels,
      .rows = {}};
  for (const FamilyResult& family : analysis.families) {
    for (const std::size_t e : family.envs) {
      Row row = env_row(analysis.envs[e], &FinalNumbers::test, &Significance::test);
      set_bold(row.cells);
      for (std::size_t m = 0; m < row.cells.size(); ++m) {
        row.cells[m].has_triangle = analysis.envs[e].methods[m].significance.auc;
      }
      table.rows.push_back(row);
    }
    if (analysis.baseline) {
      Row row = make_row(
          fmt::format("{}: relative to {} (%)", family.name, analysis.labels[*analysis.baseline]),
          family.methods, kPercent, [](const FamilyMethod& m) { return m.relative; });
      set_bold(row.cells);
      const Summary& base = family.methods[*analysis.baseline].relative;
      for (std::size_t m = 0; m < row.cells.size(); ++m) {
        row.cells[m].has_star = is_significantly_above(family.methods[m].relative, base);
      }
      row.is_total = true;
      table.rows.push_back(row);
    }
    const std::size_t num_rows = table.rows.size();
    add_family_rows(family, "return", &FamilyNumbers::test, &Significance::test, table);
    for (Row& row : std::span(table.rows).subspan(num_rows)) set_bold(row.cells);
  }
  return table;
}

Table training_returns(const Analysis& analysis) {
  Table table{.id = "training-returns",
              .title = "Return on training levels, each equally likely",
              .note = runs_note(analysis) + marks_note(analysis) + means_note(analysis),
              .columns = analysis.labels,
              .rows = {}};
  for (const FamilyResult& family : analysis.families) {
    for (const std::size_t e : family.envs) {
      Row row = env_row(analysis.envs[e], &FinalNumbers::train, &Significance::train);
      for (std::size_t m = 0; m < row.cells.size(); ++m) {
        row.cells[m].has_triangle = analysis.envs[e].methods[m].significance.train_auc;
      }
      table.rows.push_back(row);
    }
    add_family_rows(family, "return", &FamilyNumbers::train, &Significance::train, table);
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
  table.note += means_note(analysis);
  for (const FamilyResult& family : analysis.families) {
    for (const std::size_t e : family.envs) {
      table.rows.push_back(env_row(analysis.envs[e], &FinalNumbers::gap, &Significance::gap));
    }
    add_family_rows(family, "gap", &FamilyNumbers::gap, &Significance::gap, table);
  }
  return table;
}

Table robust_numbers(const Analysis& analysis) {
  Table table{
      .id = "robust",
      .title = "Success, the worst levels, and the interquartile mean",
      .note = runs_note(analysis) +
              " Worst tenth: mean return on the 10 % of the test levels that went worst. "
              "Interquartile mean of the min-max normalized returns of all environments "
              "and runs, with a 95 % interval (stratified bootstrap) if every environment has "
              "at least two runs.",
      .columns = analysis.labels,
      .rows = {}};
  for (const EnvResult& env : analysis.envs) {
    const std::string name = catalog::short_env_name(env.env);
    table.rows.push_back(make_row(name + ": success (%)", env.methods, kPercent,
                                  [](const MethodResult& m) { return m.final.success; }));
    table.rows.push_back(make_row(name + ": worst tenth", env.methods, 1,
                                  [](const MethodResult& m) { return m.final.worst; }));
  }
  for (const FamilyResult& family : analysis.families) {
    Row row{.name = family.name + ": interquartile mean", .cells = {}, .decimals = 2};
    row.is_total = true;
    for (const FamilyMethod& method : family.methods) {
      std::string text = method.interquartile ? decimal(*method.interquartile, 3) : "-";
      if (const auto& interval = method.interval) {
        text += fmt::format(" [{:.3f}, {:.3f}]", interval->low, interval->high);
      }
      row.cells.push_back(text_cell(std::move(text)));
    }
    table.rows.push_back(row);
  }
  return table;
}

Table comparison(const Analysis& analysis, const Comparison& labels) {
  const auto& [a, b] = labels;
  const std::size_t first = label_index(analysis.labels, a);
  const std::size_t second = label_index(analysis.labels, b);
  Table table{.id = "comparison",
              .title = fmt::format("{} against {}", a, b),
              .note = fmt::format(
                  "p: how probable so large a difference of the means would be if there were "
                  "none (Welch's t-test, two-sided); bold below {}.",
                  kSignificanceLevel),
              .columns = {a, b, "difference", "p: final return", "p: curve", "p: training return",
                          "p: gap"},
              .rows = {}};
  const auto add_row = [&](Row row, const auto& x, const auto& y, const Cell& curve) {
    const bool has_both = row.cells[0].value.count > 0 && row.cells[1].value.count > 0;
    const double difference = row.cells[0].value.mean - row.cells[1].value.mean;
    row.cells.push_back(
        text_cell(has_both ? fmt::format("{:+.{}f}", difference, row.decimals + 1) : "-"));
    row.cells.push_back(p_value_cell(summarize(x.test), summarize(y.test)));
    row.cells.push_back(curve);
    row.cells.push_back(p_value_cell(summarize(x.train), summarize(y.train)));
    row.cells.push_back(p_value_cell(summarize(x.gap), summarize(y.gap)));
    table.rows.push_back(row);
  };
  for (const FamilyResult& family : analysis.families) {
    for (const std::size_t e : family.envs) {
      const EnvResult& env = analysis.envs[e];
      const std::vector both = {env.methods[first], env.methods[second]};
      add_row(make_row(catalog::short_env_name(env.env), both, 1,
                       [](const MethodResult& m) { return m.final.test; }),
              both[0].final, both[1].final,
              p_value_cell(summarize(both[0].final.auc), summarize(both[1].final.auc)));
    }
    if (!family.has_mean()) continue;
    const std::vector both = {family.methods[first], family.methods[second]};
    Row row = make_row(family.name + ": mean normalized return (%)", both, kPercent,
                       [](const FamilyMethod& m) { return m.normalized.test; });
    row.is_total = true;
    add_row(row, both[0].normalized, both[1].normalized, text_cell("-"));
  }
  return table;
}

std::vector<Table> report_tables(const Analysis& analysis,
                                 const std::optional<Comparison>& compare) {
  std::vector<Table> tables;
  if (compare) tables.push_back(comparison(analysis, *compare));
  tables.push_back(final_returns(analysis));
  tables.push_back(training_returns(analysis));
  tables.push_back(final_gaps(analysis));
  tables.push_back(robust_numbers(analysis));
  const std::vector<Improvement> better = improvements(analysis, compare);
  if (!better.empty()) tables.push_back(improvement_table(better));
  return tables;
}

}  // namespace plr::report
