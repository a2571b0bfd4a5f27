#include "plr/report/export.h"

#include <fmt/format.h>

#include <cmath>

#include "plr/base/files.h"
#include "plr/catalog/short_name.h"
#include "plr/report/difficulty.h"
#include "plr/report/labels.h"
#include "plr/report/svg_chart.h"
#include "plr/run/file_name.h"

namespace plr::report {
namespace {

constexpr std::array kLabelsOfQuantity = {
    "return on levels never seen", "return on training levels", "training minus test return"};

template <class Result>
Chart chart_of(const std::string& title, const std::vector<double>& steps,
               const std::vector<std::string>& labels, const std::vector<Result>& methods,
               Quantity quantity) {
  Chart chart{.title = title, .y_label = kLabelsOfQuantity[quantity], .x = steps, .lines = {}};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const Curve& curve = methods[m].curves[quantity];
    chart.lines.push_back({labels[m], curve.mean, curve.deviation});
  }
  return chart;
}

std::string number(double value) { return std::isfinite(value) ? fmt::to_string(value) : ""; }

// A line per evaluation of each run.
std::string evaluations_csv(std::span<const RunData> runs) {
  const std::vector<std::string> labels = labels_of(runs);
  std::string csv = "env,method,seed,steps,test_return,train_return,test_success\n";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string run =
        fmt::format("{},{},{}", runs[i].env(), csv_quoted(labels[i]), runs[i].setting("seed"));
    for (const EvalRecord& e : runs[i].evaluations) {
      csv += fmt::format("{},{},{:.6g},{:.6g},{:.6g}\n", run, e.steps, e.test_return,
                         e.train_return, e.test_success);
    }
  }
  return csv;
}

}  // namespace

std::string curves_csv(const Analysis& analysis) {
  std::string csv = "env,method,steps,quantity,mean,deviation,runs\n";
  for (const EnvResult& env : analysis.envs) {
    for (std::size_t m = 0; m < env.methods.size(); ++m) {
      for (std::size_t q = 0; q < kQuantityNames.size(); ++q) {
        const Curve& curve = env.methods[m].curves[q];
        for (std::size_t i = 0; i < env.steps.size(); ++i) {
          if (curve.count[i] == 0) continue;
          csv += fmt::format("{},{},{},{},{:.6g},{:.6g},{}\n", env.env,
                             csv_quoted(analysis.labels[m]), env.steps[i], kQuantityNames[q],
                             curve.mean[i], curve.deviation[i], curve.count[i]);
        }
      }
    }
  }
  return csv;
}

std::string runs_csv(std::span<const RunData> runs) {
  const std::vector<std::string> labels = labels_of(runs);
  const std::vector<std::string> settings = differing_settings(runs);
  std::string csv =
      "run,method,seed,finished,steps,test_return,train_return,test_success,steps_per_second";
  for (const std::string& name : settings) csv += "," + name;
  csv += "\n";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunData& run = runs[i];
    const auto last = [&](double EvalRecord::*field) {
      return run.evaluations.empty() ? "" : number(run.evaluations.back().*field);
    };
    csv += fmt::format("{},{},{},{:d},{},{},{},{},{}", csv_quoted(run.folder.string()),
                       csv_quoted(labels[i]), run.setting("seed"), run.is_finished,
                       run.steps_done(), last(&EvalRecord::test_return),
                       last(&EvalRecord::train_return), last(&EvalRecord::test_success),
                       run.updates.empty() ? "" : number(run.updates.back().steps_per_second));
    for (const std::string& name : settings)
      csv += fmt::format(",{}", csv_quoted(run.setting(name)));
    csv += "\n";
  }
  return csv;
}

void export_report(const std::filesystem::path& folder, std::span<const RunData> runs,
                   const Analysis& analysis, const std::optional<Comparison>& compare) {
  make_directories(folder);
  for (const Table& table : tables_of(analysis, compare)) {
    write_text(folder / (table.id + ".csv"), to_csv(table));
    write_text(folder / (table.id + ".md"), to_markdown(table));
    write_text(folder / (table.id + ".tex"), to_latex(table));
  }
  write_text(folder / "curves.csv", curves_csv(analysis));
  write_text(folder / "runs.csv", runs_csv(runs));
  write_text(folder / "evaluations.csv", evaluations_csv(runs));
  const std::vector<DifficultyCurves> difficulties = difficulty_curves(runs);
  if (!difficulties.empty()) write_text(folder / "difficulty.csv", to_csv(difficulties));
  for (const DifficultyCurves& curves : difficulties) {
    const std::string name = catalog::short_env_name(curves.env) + "-" + curves.label;
    write_text(folder / ("difficulty-" + run::file_name(name) + ".svg"),
               svg_chart(chart_of(curves)));
  }
  for (const Quantity q : {kTest, kTrain, kGap}) {
    const std::string prefix = std::string(kQuantityNames[q]) + "-";
    for (const EnvResult& env : analysis.envs) {
      const std::string name = catalog::short_env_name(env.env);
      write_text(folder / (prefix + run::file_name(name) + ".svg"),
                 svg_chart(chart_of(name, env.steps, analysis.labels, env.methods, q)));
    }
    for (const FamilyResult& family : analysis.families) {
      if (family.envs.size() < 2) continue;
      const std::string title = "All of " + family.name + ", normalized";
      write_text(folder / (prefix + "all-" + run::file_name(family.name) + ".svg"),
                 svg_chart(chart_of(title, family.steps, analysis.labels, family.methods, q)));
    }
  }
}

}  // namespace plr::report
