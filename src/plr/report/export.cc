#include "plr/report/export.h"

#include <array>

#include "plr/base/files.h"
#include "plr/catalog/short_name.h"
#include "plr/report/csv_files.h"
#include "plr/report/difficulty.h"
#include "plr/report/evaluation_tables.h"
#include "plr/report/level_pictures.h"
#include "plr/report/page_data.h"
#include "plr/report/profiles.h"
#include "plr/report/svg_chart.h"
#include "plr/report/table_formats.h"
#include "plr/report/training_log.h"
#include "plr/run/file_name.h"

namespace plr::report {
namespace {

constexpr std::size_t kMaxAnimations = 8;  // of levels, one per run

const char* axis_label(Quantity quantity) {
  constexpr std::array kLabels = {"return on levels never seen", "return on training levels",
                                  "training minus test return"};
  return kLabels[static_cast<std::size_t>(quantity)];
}

// The marks of the paper's figures: a star for the final number, a triangle for the curve.
std::string marks_of(const Significance& significance, Quantity quantity) {
  const auto marks = [](bool final, bool curve) {
    return std::string(final ? "★" : "") + (curve ? "▲" : "");
  };
  switch (quantity) {
    case Quantity::kTest:
      return marks(significance.test, significance.auc);
    case Quantity::kTrain:
      return marks(significance.train, significance.train_auc);
    case Quantity::kGap:
      break;
  }
  return marks(significance.gap, false);
}

const Significance& significance_of(const MethodResult& method) { return method.significance; }
const Significance& significance_of(const FamilyMethod& method) {
  return method.normalized.significance;
}

// One line per method; Method is MethodResult or FamilyMethod.
template <class Method>
Chart curve_chart(const std::string& title, const std::vector<double>& steps,
                  const Analysis& analysis, const std::vector<Method>& methods, Quantity quantity) {
  Chart chart{.title = title, .y_label = axis_label(quantity), .x = steps, .lines = {}};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const Curve& curve = methods[m].curves[quantity];
    chart.lines.push_back({analysis.labels[m], curve.mean, curve.deviation,
                           marks_of(significance_of(methods[m]), quantity)});
  }
  if (analysis.baseline) {
    const std::string& baseline = analysis.labels[*analysis.baseline];
    chart.note = quantity == Quantity::kGap ? "★ below " + baseline + " (p < 0.05)"
                                            : "★ final, ▲ curve above " + baseline + " (p < 0.05)";
  }
  return chart;
}

}  // namespace

void export_report(const std::filesystem::path& folder, std::span<const RunData> runs,
                   const Analysis& analysis, const std::optional<Comparison>& compare) {
  make_directories(folder);
  std::vector<Table> tables = evaluation_tables(runs, analysis);
  for (Table& table : report_tables(analysis, compare)) tables.push_back(std::move(table));
  for (const Table& table : tables) {
    write_text(folder / (table.id + ".csv"), to_csv(table));
    write_text(folder / (table.id + ".md"), to_markdown(table));
    write_text(folder / (table.id + ".tex"), to_latex(table));
  }
  for (const Figure& figure : evaluation_figures(runs, analysis)) {
    write_text(folder / (figure.id + ".svg"), svg_chart(figure.chart));
  }
  for (const Profiles& p : profiles(analysis)) {
    const Figure figure = profile_figure(p);
    write_text(folder / (figure.id + ".svg"), svg_chart(figure.chart));
  }
  write_text(folder / kCurvesFile, curves_csv(analysis));
  write_text(folder / kSettingsFile, common_settings_toml(runs));
  write_text(folder / kRunsFile, runs_csv(runs, analysis));
  write_text(folder / kEvaluationsFile, evaluations_csv(runs, analysis));
  write_text(folder / kTrainingFile, training_csv(runs, analysis));
  const std::string difficulties = difficulty_csv(runs, analysis);
  if (difficulties.empty()) {
    std::filesystem::remove(folder / kDifficultyFile);  // of an earlier export
  } else {
    write_text(folder / kDifficultyFile, difficulties);
  }
  for (const DifficultyCurves& curves : difficulty_curves(runs, analysis)) {
    if (curves.updates.size() < 2) continue;  // no line
    const std::string name = catalog::short_env_name(curves.env) + "-" + curves.label;
    write_text(folder / ("difficulty-" + run::file_name(name) + ".svg"),
               svg_chart(difficulty_chart(curves)));
  }
  std::vector<std::size_t> animated = detailed_runs(analysis);
  if (animated.size() > kMaxAnimations) animated.resize(kMaxAnimations);
  for (const std::size_t i : animated) {
    const std::string name = runs[i].folder.filename().string();
    write_level_animation(runs[i], folder / ("levels-" + run::file_name(name) + ".gif"));
  }
  for (const Quantity q : kQuantities) {
    const std::string prefix = quantity_name(q) + "-";
    for (const EnvResult& env : analysis.envs) {
      const std::string name = catalog::short_env_name(env.env);
      write_text(folder / (prefix + run::file_name(name) + ".svg"),
                 svg_chart(curve_chart(name, env.steps, analysis, env.methods, q)));
    }
    for (const FamilyResult& family : analysis.families) {
      if (!family.has_mean()) continue;
      const std::string title = "All of " + family.name + ", normalized";
      write_text(folder / (prefix + "all-" + run::file_name(family.name) + ".svg"),
                 svg_chart(curve_chart(title, family.steps, analysis, family.methods, q)));
    }
  }
}

}  // namespace plr::report
