#include "plr/report/analysis.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>

#include "plr/report/curves.h"
#include "plr/report/families.h"
#include "plr/report/labels.h"
#include "plr/report/welch.h"

namespace plr::report {
namespace {

constexpr std::size_t kMaxPoints = 400;  // of a curve

std::optional<std::size_t> find_baseline(const std::vector<std::string>& labels,
                                         const std::string& wanted) {
  if (!wanted.empty()) return label_index(labels, wanted);
  const auto found = std::find_if(labels.begin(), labels.end(), [](const std::string& label) {
    return label.starts_with("uniform");
  });
  if (found == labels.end()) return std::nullopt;
  return found - labels.begin();
}

double parse_seed(const RunData& run) { return std::strtod(run.setting("seed").c_str(), nullptr); }

double auc_of(const RunData& run, Quantity quantity) {
  std::vector<double> steps;
  std::vector<double> returns;
  for (const EvalRecord& evaluation : run.evaluations) {
    steps.push_back(evaluation.steps);
    returns.push_back(quantity_value(evaluation, quantity));
  }
  return normalized_auc(steps, returns);
}

void add_final(const RunData& run, FinalNumbers& final) {
  const EvalRecord& last = run.evaluations.back();
  final.test.push_back(last.test_return);
  final.train.push_back(last.train_return);
  final.gap.push_back(quantity_value(last, Quantity::kGap));
  final.success.push_back(last.test_success);
  final.auc.push_back(auc_of(run, Quantity::kTest));
  final.train_auc.push_back(auc_of(run, Quantity::kTrain));
  if (const auto worst = worst_tenth(last)) final.worst.push_back(*worst);
}

bool is_above(const auto& a, const auto& b) {
  return is_significantly_above(summarize(a), summarize(b));
}

// Of final numbers; Numbers is FinalNumbers or FamilyNumbers.
template <class Numbers>
Significance compare_final(const Numbers& method, const Numbers& baseline) {
  return {.test = is_above(method.test, baseline.test),
          .train = is_above(method.train, baseline.train),
          .gap = is_above(baseline.gap, method.gap)};
}

Significance compare(const FinalNumbers& method, const FinalNumbers& baseline) {
  Significance significance = compare_final(method, baseline);
  significance.auc = is_above(method.auc, baseline.auc);
  significance.train_auc = is_above(method.train_auc, baseline.train_auc);
  return significance;
}

class Analyzer {
 public:
  Analyzer(std::span<const RunData> runs, const std::string& baseline) : runs_(runs) {
    result_.run_labels = run_labels(runs);
    result_.labels = ordered_labels(result_.run_labels);
    result_.baseline = find_baseline(result_.labels, baseline);
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
    result.steps = evaluation_steps(all, kMaxPoints);
    for (const std::string& label : result_.labels) {
      MethodResult& method = result.methods.emplace_back();
      for (const std::size_t i : members) {
        const bool is_of_method = result_.run_labels[i] == label;
        if (is_of_method && !runs_[i].evaluations.empty()) method.runs.push_back(i);
      }
      std::stable_sort(method.runs.begin(), method.runs.end(), [&](std::size_t a, std::size_t b) {
        return parse_seed(runs_[a]) < parse_seed(runs_[b]);
      });
      for (const Quantity q : kQuantities) {
        method.curves[q] = mean_curve(result.steps.size(), [&](std::size_t point) {
          std::vector<double> values;
          for (const std::size_t i : method.runs) {
            if (const auto value = interpolate(runs_[i], q, result.steps[point])) {
              values.push_back(*value);
            }
          }
          return summarize(values);
        });
      }
      for (const std::size_t i : method.runs) {
        if (has_final_numbers(runs_[i])) add_final(runs_[i], method.final);
      }
    }
    if (result_.baseline) {
      const FinalNumbers& base = result.methods[*result_.baseline].final;
      for (MethodResult& method : result.methods) {
        method.significance = compare(method.final, base);
      }
    }
    return result;
  }

  bool has_final_numbers(const RunData& run) const { return run.is_finished || !result_.is_final; }

  FamilyResult family_result(const std::string& name, const std::vector<std::size_t>& envs) {
    FamilyResult family{.name = name, .envs = envs, .steps = {}, .methods = {}};
    std::vector<const RunData*> all;
    for (const RunData& run : runs_) {
      if (family_of(run.env()) == name) all.push_back(&run);
    }
    // A mean over environments ends where the first of them does.
    double end = std::numeric_limits<double>::infinity();
    for (const std::size_t e : envs) {
      if (!result_.envs[e].steps.empty()) end = std::min(end, result_.envs[e].steps.back());
    }
    family.steps = evaluation_steps(all, kMaxPoints, end);
    for (std::size_t m = 0; m < result_.labels.size(); ++m) {
      family.methods.push_back(family_method(family, m));
    }
    if (result_.baseline) {
      const FamilyMethod base = family.methods[*result_.baseline];
      for (FamilyMethod& method : family.methods) {
        for (FamilyNumbers FamilyMethod::*numbers :
             {&FamilyMethod::normalized, &FamilyMethod::unnormalized}) {
          (method.*numbers).significance = compare_final(method.*numbers, base.*numbers);
        }
      }
    }
    return family;
  }

  // The normalized values of a method's runs in an environment at `steps`, without those of runs
  // that end before.
  std::vector<double> normalized_values(const EnvResult& env, std::size_t method, Quantity q,
                                        double steps) const {
    std::vector<double> values;
    for (const std::size_t i : env.methods[method].runs) {
      const auto value = interpolate(runs_[i], q, steps);
      if (!value) continue;
      const double width = env.range.high - env.range.low;
      values.push_back(q == Quantity::kGap ? *value / width
                                           : min_max_normalized(*value, env.range));
    }
    return values;
  }

  FamilyMethod family_method(const FamilyResult& family, std::size_t method) const {
    FamilyMethod result;
    const auto has_run = [&](std::size_t e) {
      return !result_.envs[e].methods[method].runs.empty();
    };
    if (!std::ranges::all_of(family.envs, has_run)) return result;
    for (const Quantity q : kQuantities) {
      result.curves[q] = mean_curve(family.steps.size(), [&](std::size_t point) {
        Matrix values;
        for (const std::size_t e : family.envs) {
          values.push_back(normalized_values(result_.envs[e], method, q, family.steps[point]));
        }
        return mean_over_envs(values);
      });
    }
    add_final_numbers(family, method, result);
    return result;
  }

  void add_final_numbers(const FamilyResult& family, std::size_t method,
                         FamilyMethod& result) const {
    // value(environment) for each of them, [environment][run].
    const auto matrix = [&](const auto& value) {
      Matrix rows;
      for (const std::size_t e : family.envs) rows.push_back(value(result_.envs[e]));
      return rows;
    };
    const auto numbers = [&](std::vector<double> FinalNumbers::*member) {
      return matrix([&](const EnvResult& env) { return env.methods[method].final.*member; });
    };
    const auto normalized = [&](std::vector<double> FinalNumbers::*member) {
      return matrix([&](const EnvResult& env) {
        std::vector<double> values = env.methods[method].final.*member;
        const double low = member == &FinalNumbers::gap ? 0 : env.range.low;
        for (double& value : values) value = (value - low) / (env.range.high - env.range.low);
        return values;
      });
    };
    const auto is_empty = [](const std::vector<double>& row) { return row.empty(); };
    const Matrix test = numbers(&FinalNumbers::test);
    if (std::any_of(test.begin(), test.end(), is_empty)) return;
    const Matrix normalized_test = normalized(&FinalNumbers::test);
    result.unnormalized.test = mean_over_envs(test);
    result.unnormalized.train = mean_over_envs(numbers(&FinalNumbers::train));
    result.unnormalized.gap = mean_over_envs(numbers(&FinalNumbers::gap));
    result.normalized.test = mean_over_envs(normalized_test);
    result.normalized.train = mean_over_envs(normalized(&FinalNumbers::train));
    result.normalized.gap = mean_over_envs(normalized(&FinalNumbers::gap));
    std::vector<double> pooled;
    for (const auto& row : normalized_test) pooled.insert(pooled.end(), row.begin(), row.end());
    result.interquartile = interquartile_mean(pooled);
    if (can_resample(normalized_test)) {
      result.interval = interquartile_interval(normalized_test, Streams(1).named("bootstrap"));
    }
    if (!result_.baseline) return;
    const Matrix base =
        matrix([&](const EnvResult& env) { return env.methods[*result_.baseline].final.test; });
    if (std::any_of(base.begin(), base.end(), is_empty)) return;
    result.relative = relative_returns(test, base);
  }

  std::span<const RunData> runs_;
  Analysis result_;
};

}  // namespace

std::string quantity_name(Quantity quantity) {
  constexpr std::array kNames = {"test", "train", "gap"};
  return kNames[static_cast<std::size_t>(quantity)];
}

std::optional<double> worst_tenth(const EvalRecord& evaluation) {
  if (evaluation.test_returns.empty()) return std::nullopt;
  return worst_mean(evaluation.test_returns, 0.1);
}

Analysis analyze(std::span<const RunData> runs, const std::string& baseline) {
  return Analyzer(runs, baseline).result();
}

bool FamilyResult::has_mean() const {
  const auto has_runs = [](const FamilyMethod& method) {
    return !method.curves[Quantity::kTest].mean.empty();
  };
  return envs.size() > 1 && std::ranges::any_of(methods, has_runs);
}

}  // namespace plr::report
