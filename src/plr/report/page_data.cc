#include "plr/report/page_data.h"

#include <algorithm>
#include <cmath>

#include "plr/catalog/short_name.h"
#include "plr/report/difficulty.h"
#include "plr/report/evaluation_tables.h"
#include "plr/report/svg_chart.h"

namespace plr::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxDetailed = 24;
constexpr std::size_t kMaxPoints = 600;  // of a series; about the width of a chart in pixels

// Five digits are more than a screen shows, and halve the size of the data.
constexpr int kSignificantDigits = 5;

double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit =
      std::pow(10, kSignificantDigits - 1 - std::floor(std::log10(std::abs(value))));
  return std::round(value * unit) / unit;
}

Json rounded(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(rounded(value));
  return list;
}

// One number of each record, subsampled evenly if there are more than kMaxPoints.
template <class Record, class Value>
Json column(const std::vector<Record>& records, Value value) {
  Json list = Json::array();
  const std::size_t count = std::min(records.size(), kMaxPoints);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = count > 1 ? i * (records.size() - 1) / (count - 1) : 0;
    list.push_back(rounded(static_cast<double>(value(records[at], at))));
  }
  return list;
}

Json curves_json(const Curves& curves) {
  Json json;
  for (const Quantity q : kQuantities) {
    const std::vector<std::size_t>& count = curves[q].count;
    if (std::all_of(count.begin(), count.end(), [](std::size_t n) { return n == 0; })) continue;
    json[quantity_name(q)] = {{"mean", rounded(curves[q].mean)},
                              {"deviation", rounded(curves[q].deviation)},
                              {"count", count}};
  }
  return json;
}

// The learning curves of one chart; Method is MethodResult or FamilyMethod.
template <class Method>
Json group_json(const std::string& title, const std::vector<double>& steps,
                const std::vector<Method>& methods) {
  Json json = {{"title", title}, {"steps", steps}, {"methods", Json::array()}};
  for (const Method& method : methods) json["methods"].push_back(curves_json(method.curves));
  return json;
}

Json curriculum_json(const RunData& run) {
  using Record = LevelsRecord;
  const auto& records = run.curriculum;
  Json json = {
      {"update", column(records, [](const Record& r, std::size_t) { return r.update; })},
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
  }
  return json;
}

Json detail_json(const RunData& run) {
  const auto& updates = run.updates;
  using Record = LogRecord;
  Json json = {{"name", run.folder.string()}};
  if (!updates.empty()) {
    json["speed"] = {
        {"steps", column(updates, [](const Record& r, std::size_t) { return r.steps; })},
        {"steps_per_second",
         column(updates, [](const Record& r, std::size_t) { return r.steps_per_second; })}};
  }
  // Uniform sampling has no curriculum to show.
  if (run.setting("curriculum") == "uniform") return json;
  if (!run.curriculum.empty()) json["curriculum"] = curriculum_json(run);
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

Json page_data(std::span<const RunData> runs, const Analysis& analysis) {
  Json data = {{"labels", analysis.labels},
               {"colors", Json::array()},
               {"figures", Json::array()},
               {"groups", Json::array()},
               {"details", Json::array()}};
  for (std::size_t i = 0; i < std::max(kNumColors, analysis.labels.size()); ++i) {
    data["colors"].push_back(method_color(i));
  }
  for (const Figure& figure : evaluation_figures(runs, analysis)) {
    data["figures"].push_back(figure_json(figure.chart));
  }
  for (const FamilyResult& family : analysis.families) {
    if (!family.has_mean()) continue;
    Json group = group_json("All of " + family.name, family.steps, family.methods);
    group["wide"] = true;
    group["normalized"] = true;
    data["groups"].push_back(group);
  }
  for (const EnvResult& env : analysis.envs) {
    Json group = group_json(catalog::short_env_name(env.env), env.steps, env.methods);
    if (analysis.envs.size() == 1) group["wide"] = true;
    data["groups"].push_back(group);
  }
  for (const std::size_t i : detailed_runs(analysis)) {
    data["details"].push_back(detail_json(runs[i]));
  }
  return data;
}

}  // namespace plr::report
