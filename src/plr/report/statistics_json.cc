#include "plr/report/statistics_json.h"

#include <optional>

#include "plr/report/welch.h"

namespace plr::report {
namespace {

using Json = nlohmann::ordered_json;

Json summary_json(const std::vector<double>& values) {
  const Summary s = summarize(values);
  return {{"values", values}, {"mean", s.mean}, {"deviation", s.deviation}};
}

Json test_json(const std::vector<double>& a, const std::vector<double>& b) {
  const std::optional<Welch> test = welch(summarize(a), summarize(b));
  if (!test) return nullptr;
  return {{"t", test->t}, {"df", test->degrees_of_freedom}, {"p", test->p}};
}

}  // namespace

Json statistics_json(std::span<const RunData> runs, const Analysis& analysis) {
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
      if (analysis.baseline) {
        const FinalNumbers& base = env.methods[*analysis.baseline].final;
        method["against_baseline"] = {{"test", test_json(final.test, base.test)},
                                      {"curve", test_json(final.auc, base.auc)},
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
      methods[analysis.labels[m]] = {{"normalized", summary_json(method.normalized)},
                                     {"relative", summary_json(method.relative)},
                                     {"interquartile_mean", *method.interquartile},
                                     {"interval", {method.interval.low, method.interval.high}}};
    }
    json["families"].push_back({{"family", family.name}, {"methods", methods}});
  }
  return json;
}

}  // namespace plr::report
