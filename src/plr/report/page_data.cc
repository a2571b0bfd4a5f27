#include "plr/report/page_data.h"

#include <algorithm>
#include <cmath>

#include "plr/base/evenly.h"
#include "plr/catalog/short_name.h"
#include "plr/report/curves.h"
#include "plr/report/diagnostics.h"
#include "plr/report/difficulty.h"
#include "plr/report/evaluation_tables.h"
#include "plr/report/level_timeline.h"
#include "plr/report/profiles.h"
#include "plr/report/statistics_json.h"
#include "plr/report/svg_chart.h"

namespace plr::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxDetailed = 24;
constexpr std::size_t kMaxPoints = 600;  // of a series; about the width of a chart in pixels

constexpr std::size_t kMaxTimelineRecords = 120;  // of a run; each has ten levels

// Points of the diagnostics of all environments and methods together, and of each.
constexpr std::size_t kAllDiagnosticsPoints = 6000;
constexpr std::size_t kMinDiagnosticsPoints = 60;
constexpr std::size_t kMaxDiagnosticsPoints = 300;

// Five digits are more than a screen shows, and halve the size of the data.
constexpr int kSignificantDigits = 5;

double rounded(double value, int digits = kSignificantDigits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10, digits - 1 - std::floor(std::log10(std::abs(value))));
  return std::round(value * unit) / unit;
}

Json rounded(const std::vector<double>& values, int digits = kSignificantDigits) {
  Json list = Json::array();
  for (const double value : values) list.push_back(rounded(value, digits));
  return list;
}

// One number of each record, subsampled evenly if there are more than kMaxPoints.
template <class Record, class Value>
std::vector<double> column(const std::vector<Record>& records, Value value) {
  std::vector<double> list;
  const std::size_t count = std::min(records.size(), kMaxPoints);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = even_position(i, count, records.size());
    list.push_back(rounded(static_cast<double>(value(records[at], at))));
  }
  return list;
}

// The positions of points on the axes other than steps; an axis that is not known is left out.
void add_positions(const CurvePositions& positions, Json& json) {
  if (!positions.updates.empty()) json["updates"] = rounded(positions.updates);
  if (!positions.seconds.empty()) json["seconds"] = rounded(positions.seconds);
}

void add_positions(const RunAxes& axes, const std::vector<double>& steps, Json& json) {
  json["steps"] = steps;
  const RunAxes* const one = &axes;
  add_positions(mean_positions({&one, 1}, steps), json);
}

// The deviation of a single run is null: there is no band to draw.
Json curve_json(const Curve& curve, int digits) {
  Json deviation = Json::array();
  for (std::size_t i = 0; i < curve.deviation.size(); ++i) {
    deviation.push_back(curve.count[i] > 1 ? Json(rounded(curve.deviation[i], digits)) : Json());
  }
  const bool has_band = std::ranges::any_of(curve.count, [](std::size_t n) { return n > 1; });
  Json json = {{"mean", rounded(curve.mean, digits)}};
  if (has_band) json["deviation"] = std::move(deviation);
  return json;
}

Json curves_json(const Curves& curves) {
  Json json = Json::object();
  for (const Quantity q : kQuantities) {
    const std::vector<std::size_t>& count = curves[q].count;
    if (std::all_of(count.begin(), count.end(), [](std::size_t n) { return n == 0; })) continue;
    Json& curve = json[quantity_name(q)] = curve_json(curves[q], kSignificantDigits);
    curve["count"] = count;
  }
  return json;
}

// The learning curves of one chart; Method is MethodResult or FamilyMethod, and `runs_of(m)` lists
// the runs of the m-th method. `range` is the difference of the ends of the possible returns.
template <class Method, class RunsOf>
Json group_json(const std::string& title, const std::vector<double>& steps, double range,
                const std::vector<Method>& methods, RunsOf runs_of) {
  Json json = {{"title", title}, {"steps", steps}, {"range", range}, {"methods", Json::array()}};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    Json& method = json["methods"].emplace_back(curves_json(methods[m].curves));
    if (!method.empty()) add_positions(mean_positions(runs_of(m), steps), method);
  }
  return json;
}

Json diagnostics_json(const std::string& title, const Diagnostics& diagnostics) {
  constexpr int kDigits = 4;
  Json json = {{"title", title}, {"steps", diagnostics.steps}, {"methods", Json::array()}};
  for (const DiagnosticsMethod& method : diagnostics.methods) {
    Json& entry = json["methods"].emplace_back(Json::object());
    for (std::size_t i = 0; i < kDiagnostics.size(); ++i) {
      if (method.curves[i].mean.empty()) continue;
      entry[std::string(kDiagnostics[i])] = curve_json(method.curves[i], kDigits);
    }
    if (!entry.empty()) add_positions(method.positions, entry);
  }
  return json;
}

Json timeline_json(const RunData& run, const RunAxes& axes) {
  const LevelTimeline timeline = level_timeline(run, kMaxTimelineRecords);
  if (timeline.steps.empty()) return nullptr;
  Json json = {{"levels", timeline.levels}, {"cells", Json::array()}};
  add_positions(axes, timeline.steps, json);
  for (const auto& record : timeline.cells) {
    Json& cells = json["cells"].emplace_back(Json::array());
    for (const TimelineCell& cell : record) {
      constexpr int kDigits = 3;
      cells.push_back({cell.level, rounded(cell.probability, kDigits)});
    }
  }
  if (!timeline.solutions.empty()) json["solutions"] = rounded(timeline.solutions);
  return json;
}

Json curriculum_json(const RunData& run, const RunAxes& axes) {
  using Record = LevelsRecord;
  const auto& records = run.curriculum;
  Json json = {
      {"effective_levels",
       column(records, [](const Record& r, std::size_t) { return r.effective_levels; })},
      {"mean_score", column(records, [](const Record& r, std::size_t) { return r.mean_score; })},
      {"by_difficulty", Json::array()}};
  for (std::size_t d = 0; d < records.back().by_difficulty.size(); ++d) {
    std::vector<double> shares;
    for (const Record& r : records) {
      shares.push_back(d < r.by_difficulty.size() ? r.by_difficulty[d] : 0.0);
    }
    const std::vector<double> means = smooth_shares(shares);
    json["by_difficulty"].push_back(
        column(records, [&means](const Record&, std::size_t i) { return means[i]; }));
  }
  add_positions(axes, column(records, [](const Record& r, std::size_t) { return r.steps; }), json);
  return json;
}

Json levels_json(const RunData& run) {
  using Row = LevelRow;
  return {{"rank", column(run.levels, [](const Row&, std::size_t i) { return i + 1; })},
          {"score", column(run.levels, [](const Row& r, std::size_t) { return r.score; })},
          {"staleness", column(run.levels, [](const Row& r, std::size_t) { return r.staleness; })}};
}

Json figure_json(const Chart& chart) {
  Json json = {{"title", chart.title},  {"x_name", chart.x_label},  {"y_name", chart.y_label},
               {"x", rounded(chart.x)}, {"x_names", chart.x_names}, {"lines", Json::array()}};
  for (const ChartLine& line : chart.lines) {
    json["lines"].push_back(
        {{"name", line.name}, {"y", rounded(line.y)}, {"band", rounded(line.band)}});
    if (!line.below.empty()) json["lines"].back()["below"] = rounded(line.below);
  }
  return json;
}

Json detail_json(const RunData& run) {
  const auto& updates = run.updates;
  using Record = LogRecord;
  const RunAxes axes = run_axes(updates);
  Json json = {{"name", run.folder.string()}};
  if (!updates.empty()) {
    Json& speed = json["speed"] = {
        {"steps_per_second",
         column(updates, [](const Record& r, std::size_t) { return r.steps_per_second; })}};
    add_positions(axes, column(updates, [](const Record& r, std::size_t) { return r.steps; }),
                  speed);
  }
  // Uniform sampling has no curriculum to show.
  if (run.setting("curriculum") == "uniform") return json;
  if (!run.curriculum.empty()) json["curriculum"] = curriculum_json(run, axes);
  if (Json timeline = timeline_json(run, axes); !timeline.is_null()) {
    json["timeline"] = std::move(timeline);
  }
  if (!run.levels.empty()) json["levels"] = levels_json(run);
  return json;
}

}  // namespace

std::vector<std::size_t> detailed_runs(const Analysis& analysis) {
  std::vector<std::size_t> chosen;
  // The page opens with the first of these, and the paper's own methods are last in the tables.
  for (std::size_t m = analysis.labels.size(); m-- > 0;) {
    for (const EnvResult& env : analysis.envs) {
      const auto& runs = env.methods[m].runs;
      if (!runs.empty() && chosen.size() < kMaxDetailed) chosen.push_back(runs.front());
    }
  }
  return chosen;
}

Json page_data(std::span<const RunData> runs, const Analysis& analysis,
               const std::optional<Comparison>& compare) {
  Json data = {{"labels", analysis.labels},
               {"colors", Json::array()},
               {"figures", Json::array()},
               {"profiles", Json::array()},
               {"improvements", improvements_json(improvements(analysis, compare))},
               {"groups", Json::array()},
               {"diagnostics", Json::array()},
               {"details", Json::array()}};
  for (std::size_t i = 0; i < std::max(kNumColors, analysis.labels.size()); ++i) {
    data["colors"].push_back(method_color(i));
  }
  for (const Figure& figure : evaluation_figures(runs, analysis)) {
    data["figures"].push_back(figure_json(figure.chart));
  }
  for (const Profiles& family : profiles(analysis)) {
    if (family.lines.size() < 2) continue;  // nothing to compare
    data["profiles"].push_back(figure_json(profile_figure(family).chart));
  }
  std::vector<RunAxes> axes;
  for (const RunData& run : runs) axes.push_back(run_axes(run.updates));
  // The axes of the runs of a method in one environment, appended to `list`.
  const auto add_axes = [&](const EnvResult& env, std::size_t m,
                            std::vector<const RunAxes*>& list) {
    for (const std::size_t i : env.methods[m].runs) list.push_back(&axes[i]);
  };
  for (const FamilyResult& family : analysis.families) {
    if (!family.has_mean()) continue;
    Json group =
        group_json("All of " + family.name, family.steps, 1, family.methods, [&](std::size_t m) {
          std::vector<const RunAxes*> list;
          for (const std::size_t e : family.envs) {
            add_axes(analysis.envs[e], m, list);
          }
          return list;
        });
    group["wide"] = true;
    group["normalized"] = true;
    data["groups"].push_back(group);
  }
  const std::size_t max_points =
      std::clamp(kAllDiagnosticsPoints / (analysis.envs.size() * analysis.labels.size()),
                 kMinDiagnosticsPoints, kMaxDiagnosticsPoints);
  for (std::size_t e = 0; e < analysis.envs.size(); ++e) {
    const EnvResult& env = analysis.envs[e];
    const std::string title = catalog::short_env_name(env.env);
    Json group = group_json(title, env.steps, env.range.high - env.range.low, env.methods,
                            [&](std::size_t m) {
                              std::vector<const RunAxes*> list;
                              add_axes(env, m, list);
                              return list;
                            });
    if (analysis.envs.size() == 1) group["wide"] = true;
    data["groups"].push_back(group);
    data["diagnostics"].push_back(
        diagnostics_json(title, diagnostics(runs, analysis, e, max_points)));
  }
  for (const std::size_t i : detailed_runs(analysis)) {
    data["details"].push_back(detail_json(runs[i]));
  }
  return data;
}

}  // namespace plr::report
