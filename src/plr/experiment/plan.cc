#include "plr/experiment/plan.h"

#include <fnmatch.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <stdexcept>

#include "plr/base/files.h"
#include "plr/catalog/family.h"
#include "plr/catalog/short_name.h"
#include "plr/experiment/plan_file.h"
#include "plr/run/file_name.h"
#include "plr/train/test_env.h"
#include "plr/train/training_levels.h"

namespace plr::experiment {
namespace {

// Every combination of one value of each list.
std::vector<Settings> combinations(const std::vector<Settings>& lists) {
  std::vector<Settings> all = {{}};
  for (const Settings& list : lists) {
    std::vector<Settings> longer;
    for (const Settings& partial : all) {
      for (const Setting& setting : list) {
        longer.push_back(partial);
        longer.back().push_back(setting);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// Removes the settings of the fallback's name and returns the last one, or the fallback if there is
// none.
Setting extract_or(Settings& settings, const Setting& fallback) {
  Setting found = fallback;
  std::erase_if(settings, [&](const Setting& setting) {
    if (setting.name != fallback.name) return false;
    found = setting;
    return true;
  });
  return found;
}

std::string run_name(const train::TrainConfig& config, const std::string& method,
                     const std::string& variant, const Settings& swept) {
  std::string name = catalog::short_env_name(config.task.env);
  if (!method.empty()) name += "-" + method;
  if (!variant.empty() && variant != method) name += "-" + variant;
  for (const Setting& setting : swept) name += "-" + setting.name + setting.value;
  return run::file_name(name) + "-s" + std::to_string(config.schedule.seed);
}

// The settings that shorten a run to `scale` of its steps.
std::map<std::string, std::string> shorter(const train::TrainConfig& config, double scale) {
  std::map<std::string, std::string> settings;
  const std::int64_t batch = train::steps_per_update(config);
  const auto steps = static_cast<std::int64_t>(static_cast<double>(config.schedule.steps) * scale);
  const std::int64_t updates = std::max<std::int64_t>(1, steps / batch);
  settings["steps"] = std::to_string(updates * batch);
  // About ten evaluations and level records remain.
  const std::int64_t often = std::max<std::int64_t>(1, updates / 10);
  const train::ScheduleConfig& schedule = config.schedule;
  if (schedule.eval_interval > often) settings["eval_interval"] = std::to_string(often);
  if (schedule.levels_interval > often) settings["levels_interval"] = std::to_string(often);
  return settings;
}

// One combination of what the file lists.
struct Combination {
  const Setting& preset;
  const Setting& env;
  const Setting& method;
  const Variant& variant;
  const Settings& swept;
  std::uint64_t seed;
};

// Collects the settings of a run by name; later ones win.  A flag may be given only once, so that a
// setting that occurs several times keeps its last value.
std::map<std::string, Setting> joined_settings(std::initializer_list<const Settings*> all) {
  std::map<std::string, Setting> last;
  for (const Settings* settings : all) {
    for (const Setting& setting : *settings) last[setting.name] = setting;
  }
  return last;
}

// The preset with the values of the algorithm and of the method.
train::TrainConfig base_config(const Setting& preset, const Setting& algorithm,
                               const Setting& method) {
  train::TrainConfig config;
  run::with_place(preset.place, [&] { config = train::preset(preset.value); });
  run::with_place(algorithm.place, [&] { train::set_algorithm(config, algorithm.value); });
  run::with_place(method.place, [&] { train::set_method(config, method.value); });
  return config;
}

void refuse_python(const std::string& env) {
  const Family* family = catalog::find_family(env);
  if (family == nullptr || !family->needs_python) return;
  throw std::invalid_argument(env +
                              " is an environment in Python, which plr.train(make_env, ...) plays");
}

PlannedRun plan_run(const PlanFile& file, const Combination& combination,
                    const PlanOptions& options, const std::string& source) {
  Settings of_variant = combination.variant.settings;
  const Setting preset = extract_or(of_variant, combination.preset);
  const Setting algorithm = extract_or(of_variant, file.algorithm);
  const Setting method = extract_or(of_variant, combination.method);
  PlannedRun run;
  run.config = base_config(preset, algorithm, method);
  const auto add_argument = [&](const Setting& setting) {
    run.arguments.insert(run.arguments.end(), {train::flag_of(setting.name), setting.value});
  };
  for (const Setting& setting : {preset, algorithm, method}) {
    if (!setting.value.empty()) add_argument(setting);
  }
  const auto apply = [&](const Setting& setting) {
    set(run.config, setting);
    add_argument(setting);
  };
  std::map<std::string, Setting> settings =
      joined_settings({&file.settings, &of_variant, &combination.swept, &options.settings});
  // Before the environments that it brings.
  if (const auto plugin = settings.extract("plugin"); !plugin.empty()) apply(plugin.mapped());
  if (!combination.env.value.empty()) {
    apply(combination.env);
    run::with_place(combination.env.place, [&] { refuse_python(run.config.task.env); });
  }
  apply({"seed", std::to_string(combination.seed), source});
  if (options.num_threads > 0) {
    const std::string name(learn::ComputeConfig::kNumThreads.name());
    settings.insert({name, {name, std::to_string(options.num_threads), source}});
  }
  if (options.scale != 1) {
    train::TrainConfig whole = run.config;
    for (const auto& [name, setting] : settings) set(whole, setting);
    for (const auto& [name, value] : shorter(whole, options.scale)) {
      settings[name] = {name, value, source};
    }
  }
  for (const auto& [name, setting] : settings) apply(setting);
  run::with_place(source, [&] {
    check(run.config);
    train::make_env_names_absolute(run.config.task);
  });
  if (settings.contains("levels")) {
    run::with_place(settings["levels"].place, [&] {
      run.config.task.levels = train::checked_levels(run.config.task.levels);
    });
  }
  run.name = run_name(run.config, method.value, combination.variant.name, combination.swept);
  return run;
}

constexpr std::uint64_t kMaxRuns = 20'000;  // of an experiment: more are a typing error

// Checked before the combinations are made.
void check_number(const PlanFile& file, const std::string& source) {
  std::uint64_t count = 1;
  const auto multiply = [&](std::size_t factor) {
    if (count > kMaxRuns) return;
    count *= std::min<std::uint64_t>(factor, kMaxRuns + 1);
  };
  for (const std::size_t factor : {file.presets.size(), file.envs.size(), file.methods.size(),
                                   file.variants.size(), file.seeds.size()}) {
    multiply(factor);
  }
  for (const Settings& list : file.sweep) multiply(list.size());
  if (count > kMaxRuns) {
    throw std::invalid_argument(source + ": an experiment has at most " + std::to_string(kMaxRuns) +
                                " runs; give fewer seeds or shorter lists, or several files");
  }
}

// Calls `visit` with every combination, the seed changing fastest.
template <class Visit>
void visit_combinations(const PlanFile& file, Visit visit) {
  const std::vector<Settings> sweep = combinations(file.sweep);
  for (const Setting& preset : file.presets) {
    for (const Setting& env : file.envs) {
      for (const Setting& method : file.methods) {
        for (const Variant& variant : file.variants) {
          for (const Settings& swept : sweep) {
            for (const std::uint64_t seed : file.seeds) {
              visit(Combination{preset, env, method, variant, swept, seed});
            }
          }
        }
      }
    }
  }
}

std::size_t hash_of(const train::TrainConfig& config) {
  std::string text;
  for (const auto& [name, value] : train::values_of(config)) text += name + "=" + value + "\n";
  return std::hash<std::string>{}(text);
}

bool matches(const PlannedRun& run, const std::string& pattern) {
  return fnmatch(pattern.c_str(), run.name.c_str(), 0) == 0;
}

// Removes the runs whose names match no pattern.
void keep_only(Plan& plan, const std::vector<std::string>& patterns, const std::string& source) {
  for (const std::string& pattern : patterns) {
    const auto is_match = [&](const PlannedRun& run) { return matches(run, pattern); };
    if (std::ranges::any_of(plan.runs, is_match)) continue;
    throw std::invalid_argument("--only: " + source + " has no run '" + pattern +
                                "'; names are such as " + plan.runs.front().name +
                                ", and * stands for any text");
  }
  if (patterns.empty()) return;
  std::erase_if(plan.runs, [&](const PlannedRun& run) {
    return std::ranges::none_of(patterns,
                                [&](const std::string& pattern) { return matches(run, pattern); });
  });
}

}  // namespace

Plan read_plan(const std::filesystem::path& file, const PlanOptions& options) {
  if (!std::filesystem::exists(file)) {
    throw std::invalid_argument("there is no file " + file.string());
  }
  const PlanFile contents = parse_plan_file(read_text(file, kMaxSettingsSize), file.string());
  check_number(contents, file.string());
  for (const Setting& setting : options.settings) {
    if (setting.name == "seed" || setting.name == "env") {
      throw std::invalid_argument(setting.place + ": the file lists every " + setting.name +
                                  "; change it there");
    }
  }
  Plan plan{.name = file.stem().string(), .summary = contents.summary, .runs = {}};
  std::set<std::string> names;
  std::map<std::size_t, std::string> by_settings;  // names by a hash of the settings
  visit_combinations(contents, [&](const Combination& combination) {
    plan.runs.push_back(plan_run(contents, combination, options, file.string()));
    const PlannedRun& run = plan.runs.back();
    if (!names.insert(run.name).second) {
      throw std::invalid_argument(file.string() + ": two runs would be named " + run.name);
    }
    const auto [twin, is_new] = by_settings.try_emplace(hash_of(run.config), run.name);
    // In a rehearsal, runs of different budgets may be equally short.
    if (!is_new && options.scale == 1) {
      throw std::invalid_argument(file.string() + ": " + twin->second + " and " + run.name +
                                  " would be the same run: all of their settings are equal");
    }
  });
  keep_only(plan, options.only, file.string());
  return plan;
}

std::string difference(const train::TrainConfig& planned, const train::TrainConfig& found) {
  const std::set<std::string_view> ignored = {"steps", "device", "threads", "num_workers"};
  const std::map<std::string, std::string> there = train::values_of(found);
  for (const auto& [name, here] : train::values_of(planned)) {
    // "auto" and 0 shards in the plan have been resolved in the run.
    const bool is_resolved = here == "auto" || (name == "shards" && here == "0");
    if (ignored.contains(name) || is_resolved || there.at(name) == here) continue;
    return name + " is " + there.at(name) + ", not " + here;
  }
  return "";
}

}  // namespace plr::experiment
