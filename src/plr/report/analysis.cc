#include "plr/report/analysis.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "plr/base/closest_name.h"
#include "plr/report/curves.h"
#include "plr/report/families.h"
#include "plr/report/labels.h"
#include "plr/report/welch.h"

namespace plr::report {
namespace {

constexpr std::size_t kMaxPoints = 400;
constexpr double kWorstFraction = 0.1;
constexpr std::array kQuantities = {kTest, kTrain, kGap};

std::optional<std::size_t> baseline_of(const std::vector<std::string>& labels,
                                       const std::string& wanted) {
  const auto found = std::find_if(labels.begin(), labels.end(), [&](const std::string& label) {
    return wanted.empty() ? label.starts_with("uniform") : label == wanted;
  });
  if (found != labels.end()) return found - labels.begin();
  if (wanted.empty()) return std::nullopt;
  throw std::invalid_argument("no run has the method '" + wanted + "'; did you mean " +
                              closest_name(wanted, labels) + "?");
}

double seed_of(const RunData& run) { return std::strtod(run.setting("seed").c_str(), nullptr); }

double mean_height_of(const RunData& run) {
  std::vector<double> steps;
  std::vector<double> returns;
  for (const EvalRecord& evaluation : run.evaluations) {
    steps.push_back(evaluation.steps);
    returns.push_back(evaluation.test_return);
  }
  return mean_height(steps, returns);
}

void add_final(const RunData& run, FinalNumbers& final) {
  const EvalRecord& last = run.evaluations.back();
  final.test.push_back(last.test_return);
  final.train.push_back(last.train_return);
  final.gap.push_back(quantity_of(last, kGap));
  final.success.push_back(last.test_success);
  final.height.push_back(mean_height_of(run));
  if (!last.test_returns.empty()) {
    final.worst.push_back(worst_mean(last.test_returns, kWorstFraction));
  }
}

Stars stars_of(const FinalNumbers& method, const FinalNumbers& baseline) {
  const auto is_above = [](const std::vector<double>& a, const std::vector<double>& b) {
    return is_significantly_above(summary_of(a), summary_of(b));
  };
  return {.final = is_above(method.test, baseline.test),
          .height = is_above(method.height, baseline.height),
          .gap = is_above(baseline.gap, method.gap)};
}

class Analyzer {
 public:
  Analyzer(std::span<const RunData> runs, const std::string& baseline)
      : runs_(runs), run_labels_(labels_of(runs)) {
    result_.labels = ordered_labels(run_labels_);
    result_.baseline = baseline_of(result_.labels, baseline);
    result_.is_final =
        std::any_of(runs.begin(), runs.end(), [](const RunData& run) { return run.is_finished; });
  }

  Analysis result() {
    std::map<std::string, std::vector<std::size_t>> by_env;
    for (std::size_t i = 0; i < runs_.size(); ++i) by_env[runs_[i].env()].push_back(i);
    for (const auto& [env, members] : by_env) result_.envs.push_back(env_result(env, members));
    std::map<std::string, std::vector<std::size_t>> by_family;
    for (std::size_t i = 0; i < result_.envs.size(); ++i) {
      by_family[family_of(result_.envs[i].env)].push_back(i);
    }
    for (const auto& [name, envs] : by_family) {
      result_.families.push_back(family_result(name, envs));
    }
    return std::move(result_);
  }

 private:
  EnvResult env_result(const std::string& env, const std::vector<std::size_t>& members) {
    EnvResult result{.env = env, .range = return_range_of(env), .steps = {}, .methods = {}};
    std::vector<const RunData*> all;
    for (const std::size_t i : members) all.push_back(&runs_[i]);
    result.steps = common_steps(all, kMaxPoints);
    for (const std::string& label : result_.labels) {
      MethodResult& method = result.methods.emplace_back();
      for (const std::size_t i : members) {
        if (run_labels_[i] == label && !runs_[i].evaluations.empty()) method.runs.push_back(i);
      }
      std::stable_sort(method.runs.begin(), method.runs.end(), [&](std::size_t a, std::size_t b) {
        return seed_of(runs_[a]) < seed_of(runs_[b]);
      });
      for (const Quantity q : kQuantities) {
        method.curves[q] = curve_of(result.steps.size(), [&](std::size_t point) {
          std::vector<double> values;
          for (const std::size_t i : method.runs) {
            if (const auto value = value_at(runs_[i], q, result.steps[point])) {
              values.push_back(*value);
            }
          }
          return values;
        });
      }
      for (const std::size_t i : method.runs) {
        if (counts(runs_[i])) add_final(runs_[i], method.final);
      }
    }
    if (result_.baseline) {
      const FinalNumbers& base = result.methods[*result_.baseline].final;
      for (MethodResult& method : result.methods) method.stars = stars_of(method.final, base);
    }
    return result;
  }

  bool counts(const RunData& run) const { return run.is_finished || !result_.is_final; }

  FamilyResult family_result(const std::string& name, const std::vector<std::size_t>& envs) {
    FamilyResult family{.name = name, .envs = envs, .steps = {}, .methods = {}};
    std::vector<const RunData*> all;
    for (const RunData& run : runs_) {
      if (family_of(run.env()) == name) all.push_back(&run);
    }
    family.steps = common_steps(all, kMaxPoints);
    for (std::size_t m = 0; m < result_.labels.size(); ++m) {
      family.methods.push_back(family_method(family, m));
    }
    return family;
  }

  // How many runs every environment of the family has of a method.
  std::size_t num_common_runs(const FamilyResult& family, std::size_t method) const {
    std::size_t count = runs_.size();
    for (const std::size_t e : family.envs) {
      count = std::min(count, result_.envs[e].methods[method].runs.size());
    }
    return count;
  }

  // The mean over environments of what their k-th runs have there; nothing if one has none.
  std::optional<double> family_value(const FamilyResult& family, std::size_t method, std::size_t k,
                                     Quantity q, double steps) const {
    double sum = 0;
    for (const std::size_t e : family.envs) {
      const EnvResult& env = result_.envs[e];
      const auto value = value_at(runs_[env.methods[method].runs[k]], q, steps);
      if (!value) return std::nullopt;
      const double width = env.range.high - env.range.low;
      sum += q == kGap ? *value / width : min_max_normalized(*value, env.range);
    }
    return sum / static_cast<double>(family.envs.size());
  }

  FamilyMethod family_method(const FamilyResult& family, std::size_t method) const {
    FamilyMethod result;
    const std::size_t num_runs = num_common_runs(family, method);
    if (num_runs == 0) return result;
    for (const Quantity q : kQuantities) {
      result.curves[q] = curve_of(family.steps.size(), [&](std::size_t point) {
        std::vector<double> values;
        for (std::size_t k = 0; k < num_runs; ++k) {
          const auto value = family_value(family, method, k, q, family.steps[point]);
          if (value) values.push_back(*value);
        }
        return values;
      });
    }
    add_final_numbers(family, method, result);
    return result;
  }

  void add_final_numbers(const FamilyResult& family, std::size_t method,
                         FamilyMethod& result) const {
    Matrix returns;
    Matrix normalized;
    Matrix base;
    for (const std::size_t e : family.envs) {
      const EnvResult& env = result_.envs[e];
      returns.push_back(env.methods[method].final.test);
      normalized.push_back(returns.back());
      for (double& value : normalized.back()) value = min_max_normalized(value, env.range);
      if (result_.baseline) base.push_back(env.methods[*result_.baseline].final.test);
    }
    const auto is_empty = [](const std::vector<double>& row) { return row.empty(); };
    if (std::any_of(returns.begin(), returns.end(), is_empty)) return;
    // Relative to 1 it is the plain mean over environments.
    result.normalized = relative_returns(normalized, Matrix(normalized.size(), {1.0}));
    std::vector<double> pooled;
    for (const auto& row : normalized) pooled.insert(pooled.end(), row.begin(), row.end());
    result.interquartile = interquartile_mean(pooled);
    result.interval = interquartile_interval(normalized, Streams(1).named("bootstrap"));
    if (!result_.baseline || std::any_of(base.begin(), base.end(), is_empty)) return;
    result.relative = relative_returns(returns, base);
  }

  std::span<const RunData> runs_;
  std::vector<std::string> run_labels_;
  Analysis result_;
};

}  // namespace

Analysis analyze(std::span<const RunData> runs, const std::string& baseline) {
  return Analyzer(runs, baseline).result();
}

}  // namespace plr::report
