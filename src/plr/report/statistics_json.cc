#include "plr/report/statistics_json.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plr/report/solve_rates.h"
#include "plr/report/welch.h"

namespace plr::report {
namespace {

using Json = nlohmann::ordered_json;

// Null if there is no such number.
Json number_json(double value, bool exists) { return exists ? Json(value) : Json(); }

Json summary_json(const std::vector<double>& values) {
  const Summary s = summarize(values);
  return {{"values", values},
          {"mean", number_json(s.mean, s.count > 0)},
          {"deviation", number_json(s.deviation, s.count > 1)}};
}

Json summary_json(const Summary& s) {
  return {{"runs", s.count},
          {"mean", number_json(s.mean, s.count > 0)},
          {"deviation", number_json(s.deviation, s.count > 1)}};
}

Json test_json(const auto& a, const auto& b) {
  const std::optional<Welch> test = welch(summarize(a), summarize(b));
  if (!test) return nullptr;
  return {{"t", test->t}, {"df", test->degrees_of_freedom}, {"p", test->p}};
}

Json estimate_json(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  Json json = {{"value", estimate->value}};
  if (estimate->interval) json["interval"] = {estimate->interval->low, estimate->interval->high};
  return json;
}

Json solve_rates_json(const SolveRates& rates) {
  Json methods = Json::object();
  for (const SolveMethod& method : rates.methods) {
    methods[method.name] = {{"rates", method.rates},  // [level][run]
                            {"means", summary_json(method.means)},
                            {"mean", estimate_json(method.mean)},
                            {"interquartile_mean", estimate_json(method.interquartile)}};
  }
  return {{"test_env", rates.test_env}, {"levels", rates.levels}, {"methods", methods}};
}

// Means over the environments of a family by name.
std::map<std::string, Summary> family_numbers(const FamilyMethod& method) {
  return {{"normalized", method.normalized.test},    {"normalized_train", method.normalized.train},
          {"normalized_gap", method.normalized.gap}, {"test", method.unnormalized.test},
          {"train", method.unnormalized.train},      {"gap", method.unnormalized.gap}};
}

Json profiles_json(const Profiles& profiles) {
  Json methods = Json::object();
  for (const Profiles::Line& line : profiles.lines) {
    Json& method = methods[line.method];
    method["fractions"] = line.fractions;
    for (const Interval& interval : line.intervals) {
      method["intervals"].push_back({interval.low, interval.high});
    }
  }
  return {{"family", profiles.family}, {"thresholds", profiles.thresholds}, {"methods", methods}};
}

}  // namespace

Json improvements_json(std::span<const Improvement> improvements) {
  Json list = Json::array();
  for (const Improvement& i : improvements) {
    list.push_back({{"family", i.family},
                    {"method", i.method},
                    {"other", i.other},
                    {"probability", i.probability},
                    {"interval", {i.interval.low, i.interval.high}}});
  }
  return list;
}

Json statistics_json(std::span<const RunData> runs, const Analysis& analysis,
                     const std::optional<Comparison>& compare) {
  Json json = {{"labels", analysis.labels},
               {"baseline", analysis.baseline ? Json(analysis.labels[*analysis.baseline]) : Json()},
               {"envs", Json::array()},
               {"families", Json::array()}};
  for (const EnvResult& env : analysis.envs) {
    Json methods;
    for (std::size_t m = 0; m < env.methods.size(); ++m) {
      const FinalNumbers& final = env.methods[m].final;
      Json& method = methods[analysis.labels[m]];
      method["runs"] = Json::array();
      for (const std::size_t i : env.methods[m].runs) {
        method["runs"].push_back(runs[i].folder.string());
      }
      method["test"] = summary_json(final.test);
      method["train"] = summary_json(final.train);
      method["gap"] = summary_json(final.gap);
      method["success"] = summary_json(final.success);
      method["worst_tenth"] = summary_json(final.worst);
      method["curve"] = summary_json(final.auc);
      method["train_curve"] = summary_json(final.train_auc);
      if (analysis.baseline) {
        const FinalNumbers& base = env.methods[*analysis.baseline].final;
        method["against_baseline"] = {{"test", test_json(final.test, base.test)},
                                      {"curve", test_json(final.auc, base.auc)},
                                      {"train", test_json(final.train, base.train)},
                                      {"train_curve", test_json(final.train_auc, base.train_auc)},
                                      {"gap", test_json(final.gap, base.gap)}};
      }
    }
    json["envs"].push_back(
        {{"env", env.env}, {"range", {env.range.low, env.range.high}}, {"methods", methods}});
  }
  for (const FamilyResult& family : analysis.families) {
    Json methods;
    for (std::size_t m = 0; m < family.methods.size(); ++m) {
      const FamilyMethod& method = family.methods[m];
      if (!method.interquartile) continue;
      Json& numbers = methods[analysis.labels[m]];
      const std::map<std::string, Summary> means = family_numbers(method);
      for (const auto& [name, summary] : means) numbers[name] = summary_json(summary);
      numbers["relative"] = summary_json(method.relative);
      numbers["interquartile_mean"] = *method.interquartile;
      if (const auto& interval = method.interval) {
        numbers["interval"] = {interval->low, interval->high};
      }
      if (!analysis.baseline) continue;
      const FamilyMethod& base = family.methods[*analysis.baseline];
      for (const auto& [name, summary] : family_numbers(base)) {
        numbers["against_baseline"][name] = test_json(means.at(name), summary);
      }
    }
    json["families"].push_back({{"family", family.name}, {"methods", methods}});
  }
  if (const auto better = improvements(analysis, compare); !better.empty()) {
    json["improvements"] = improvements_json(better);
  }
  for (const Profiles& p : profiles(analysis)) {
    json["profiles"].push_back(profiles_json(p));
  }
  for (const SolveRates& rates : solve_rates(runs, analysis)) {
    json["solve_rates"].push_back(solve_rates_json(rates));
  }
  return json;
}

}  // namespace plr::report
