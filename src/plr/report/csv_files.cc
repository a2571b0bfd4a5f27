#include "plr/report/csv_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plr/report/behavior_versions.h"
#include "plr/report/escaping.h"
#include "plr/report/labels.h"
#include "plr/run/settings_file.h"

namespace plr::report {

std::string common_settings_toml(std::span<const RunData> runs) {
  const std::vector<std::string> differing = differing_settings(runs);
  std::string toml = "# The settings that all runs have in common; runs.csv has the others.\n";
  for (const auto& [name, value] : runs.front().settings) {
    const bool differs = std::ranges::find(differing, name) != differing.end();
    if (differs || name == "env" || name == "seed") continue;
    toml += fmt::format("{} = {}\n", name, run::toml_string(value));
  }
  return toml;
}

std::string curves_csv(const Analysis& analysis) {
  std::string csv = "env,method,steps,quantity,mean,deviation,runs\n";
  for (const EnvResult& env : analysis.envs) {
    for (std::size_t m = 0; m < env.methods.size(); ++m) {
      for (const Quantity q : kQuantities) {
        const Curve& curve = env.methods[m].curves[q];
        for (std::size_t i = 0; i < env.steps.size(); ++i) {
          if (curve.count[i] == 0) continue;
          csv += fmt::format("{},{},{},{},{:.6g},{:.6g},{}\n", csv_cell(env.env),
                             csv_quoted(analysis.labels[m]), env.steps[i], quantity_name(q),
                             curve.mean[i], curve.deviation[i], curve.count[i]);
        }
      }
    }
  }
  return csv;
}

std::string runs_csv(std::span<const RunData> runs, const Analysis& analysis) {
  std::vector<std::string> settings = differing_settings(runs);
  std::erase(settings, "env");
  std::string csv = fmt::format(
      "run,env,method,seed,behavior_version,finished,steps,test_return,train_return,test_success,"
      "worst_tenth,{}",
      kLastNumberColumn);
  for (const std::string& name : settings) csv += "," + name;
  csv += "\n";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunData& run = runs[i];
    const auto last = [&](double EvalRecord::*field) {
      return run.evaluations.empty() ? "" : csv_number(run.evaluations.back().*field);
    };
    const std::optional<double> worst =
        run.evaluations.empty() ? std::nullopt : worst_tenth(run.evaluations.back());
    csv += fmt::format("{},{},{},{},{},{:d},{},{},{},{},{},{}", csv_quoted(run.folder.string()),
                       csv_cell(run.env()), csv_quoted(analysis.run_labels[i]), run.setting("seed"),
                       behavior_versions_text(run), run.is_finished, run.steps_done(),
                       last(&EvalRecord::test_return), last(&EvalRecord::train_return),
                       last(&EvalRecord::test_success), worst ? csv_number(*worst) : "",
                       run.updates.empty() ? "" : csv_number(run.updates.back().steps_per_second));
    for (const std::string& name : settings)
      csv += fmt::format(",{}", csv_quoted(run.setting(name)));
    csv += "\n";
  }
  return csv;
}

std::string run_cells(std::span<const RunData> runs, const Analysis& analysis, std::size_t run) {
  return fmt::format("{},{},{}", csv_cell(runs[run].env()), csv_quoted(analysis.run_labels[run]),
                     runs[run].setting("seed"));
}

std::string evaluations_csv(std::span<const RunData> runs, const Analysis& analysis) {
  std::string csv =
      fmt::format("{},steps,test_return,train_return,test_success,test_length\n", kRunColumns);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string run = run_cells(runs, analysis, i);
    for (const EvalRecord& e : runs[i].evaluations) {
      csv += fmt::format("{},{}", run, e.steps);
      for (const double value : {e.test_return, e.train_return, e.test_success, e.test_length}) {
        csv += std::isfinite(value) ? fmt::format(",{:.6g}", value) : ",";
      }
      csv += "\n";
    }
  }
  return csv;
}

}  // namespace plr::report
