#include "plr/train/experiment.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>

#include "plr/base/closest_name.h"
#include "plr/base/files.h"
#include "plr/catalog/make_env.h"
#include "plr/catalog/short_name.h"
#include "plr/run/file_name.h"
#include "plr/run/settings_file.h"
#include "plr/train/training_levels.h"

namespace plr::train {
namespace {

using Values = std::vector<std::string>;
using Setting = std::pair<std::string, std::string>;

// The file, sorted.
struct Plan {
  std::string summary;
  std::string algorithm;
  Values presets = {"small"};
  Values envs = {""};     // as the preset has it
  Values methods = {""};  // as the preset has it
  std::vector<std::uint64_t> seeds = {1};
  std::vector<Setting> settings;
  std::vector<std::pair<std::string, Values>> sweep;
  std::vector<std::pair<std::string, std::vector<Setting>>> variants = {};
};

std::uint64_t seed_of(const std::string& text) {
  std::uint64_t seed = 0;
  parse_value("seeds", text, seed);
  return seed;
}

constexpr std::uint64_t kMostSeeds = 10'000;  // of one range: a longer one is a slip of the keys

// Numbers and ranges like 1-10.
std::vector<std::uint64_t> seeds_of(const Values& values) {
  std::vector<std::uint64_t> seeds;
  for (const std::string& value : values) {
    const std::size_t hyphen = value.find('-');
    const std::uint64_t first = seed_of(value.substr(0, hyphen));
    const std::uint64_t last =
        hyphen == std::string::npos ? first : seed_of(value.substr(hyphen + 1));
    if (last < first) {
      throw std::invalid_argument("seeds must be numbers or ranges like 1-10, not " + value);
    }
    if (last - first >= kMostSeeds) {
      throw std::invalid_argument("seeds must be at most " + std::to_string(kMostSeeds) +
                                  " in a range, not " + value);
    }
    for (std::uint64_t seed = first; seed <= last; ++seed) seeds.push_back(seed);
  }
  return seeds;
}

void add_top_level(const run::ParsedSetting& line, Plan& plan) {
  const std::map<std::string, std::function<void()>> known = {
      {"summary", [&] { plan.summary = line.values.front(); }},
      {"algorithm", [&] { plan.algorithm = line.values.front(); }},
      {"preset", [&] { plan.presets = line.values; }},
      {"presets", [&] { plan.presets = line.values; }},
      {"env", [&] { plan.envs = line.values; }},
      {"envs", [&] { plan.envs = line.values; }},
      {"method", [&] { plan.methods = line.values; }},
      {"methods", [&] { plan.methods = line.values; }},
      {"seed", [&] { plan.seeds = seeds_of(line.values); }},
      {"seeds", [&] { plan.seeds = seeds_of(line.values); }}};
  const auto found = known.find(line.name);
  if (found != known.end()) return found->second();
  std::vector<std::string> names;
  for (const auto& [name, take] : known) names.push_back(name);
  throw std::invalid_argument("unknown line '" + line.name + "'; did you mean " +
                              closest_name(line.name, names) +
                              "?  Settings of runs stand under [settings]");
}

const std::string& one_value(const run::ParsedSetting& line) {
  if (line.values.size() == 1) return line.values.front();
  throw std::invalid_argument(line.name + " has " + std::to_string(line.values.size()) +
                              " values; a list of them stands under [sweep]");
}

void check_line(const run::ParsedSetting& line) {
  if (line.values.empty()) throw std::invalid_argument(line.name + " has no value");
  if (!line.section.empty() && line.name == "seed") {
    throw std::invalid_argument("seed stands above all sections, as  seeds = \"1-5\"");
  }
}

Plan plan_of(const std::vector<run::ParsedSetting>& lines) {
  if (lines.empty()) throw std::invalid_argument("the file names no runs");
  Plan plan;
  std::set<std::string> given;  // without the s of several
  for (const run::ParsedSetting& line : lines) {
    check_line(line);
    if (line.section.empty()) {
      if (!given.insert(line.name.substr(0, line.name.find_last_not_of('s') + 1)).second) {
        throw std::invalid_argument(line.name + " is said twice");
      }
      add_top_level(line, plan);
    } else if (line.section == "settings") {
      plan.settings.emplace_back(line.name, one_value(line));
    } else if (line.section == "sweep") {
      plan.sweep.emplace_back(line.name, line.values);
    } else if (line.section.starts_with("variant.")) {
      const std::string name = line.section.substr(8);
      if (plan.variants.empty() || plan.variants.back().first != name) {
        plan.variants.push_back({name, {}});
      }
      plan.variants.back().second.emplace_back(line.name, one_value(line));
    } else {
      throw std::invalid_argument("unknown section [" + line.section +
                                  "]; there are [settings], [sweep] and [variant.NAME]");
    }
  }
  if (plan.variants.empty()) plan.variants.push_back({"", {}});
  return plan;
}

// Every combination of one value of each list.
std::vector<std::vector<Setting>> combinations(
    const std::vector<std::pair<std::string, Values>>& lists) {
  std::vector<std::vector<Setting>> all = {{}};
  for (const auto& [name, values] : lists) {
    std::vector<std::vector<Setting>> longer;
    for (const auto& begun : all) {
      for (const std::string& value : values) {
        longer.push_back(begun);
        longer.back().emplace_back(name, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// Takes what stands under a name that is none of a setting out of a list; `otherwise` if nothing.
std::string taken(std::vector<Setting>& settings, const std::string& name,
                  const std::string& otherwise) {
  std::string value = otherwise;
  std::erase_if(settings, [&](const Setting& setting) {
    if (setting.first == name) value = setting.second;
    return setting.first == name;
  });
  return value;
}

std::string name_of(const TrainConfig& config, const std::string& method,
                    const std::string& variant, const std::vector<Setting>& swept) {
  std::string name = catalog::short_env_name(config.task.env);
  if (!method.empty()) name += "-" + method;
  if (!variant.empty() && variant != method) name += "-" + variant;
  for (const auto& [setting, value] : swept) name += "-" + setting + value;
  return run::file_name(name) + "-s" + std::to_string(config.schedule.seed);
}

void make_shorter(const TrainConfig& config, double scale, std::vector<Setting>& settings) {
  const std::int64_t batch = steps_per_update(config);
  const auto steps = static_cast<std::int64_t>(static_cast<double>(config.schedule.steps) * scale);
  const std::int64_t updates = std::max<std::int64_t>(1, steps / batch);
  settings.emplace_back("steps", std::to_string(updates * batch));
  // A rehearsal shows ten evaluations and levels too.
  const std::int64_t often = std::max<std::int64_t>(1, updates / 10);
  const ScheduleConfig& schedule = config.schedule;
  if (schedule.eval_interval > often) {
    settings.emplace_back("eval_interval", std::to_string(often));
  }
  if (schedule.levels_interval > often) {
    settings.emplace_back("levels_interval", std::to_string(often));
  }
}

PlannedRun planned_run(const Plan& plan, std::string preset_name, const std::string& env,
                       std::string method, std::uint64_t seed,
                       const std::pair<std::string, std::vector<Setting>>& variant,
                       const std::vector<Setting>& swept, const ExperimentOptions& options) {
  std::vector<Setting> own = variant.second;
  preset_name = taken(own, "preset", preset_name);
  method = taken(own, "method", method);
  const std::string algorithm = taken(own, "algorithm", plan.algorithm);
  PlannedRun run;
  run.config = preset(preset_name);
  run.arguments = {"--preset", preset_name};
  if (!algorithm.empty()) {
    set_algorithm(run.config, enum_from<Algorithm>("algorithm", algorithm));
    run.arguments.insert(run.arguments.end(), {"--algorithm", algorithm});
  }
  if (!method.empty()) {
    set_method(run.config, enum_from<Method>("method", method));
    run.arguments.insert(run.arguments.end(), {"--method", method});
  }
  const auto apply = [&run](const std::vector<Setting>& settings) {
    for (const auto& [name, value] : settings) {
      set(run.config, name, value);
      run.arguments.insert(run.arguments.end(), {flag_of(name), value});
    }
  };
  if (!env.empty()) apply({{"env", env}});
  apply({{"seed", std::to_string(seed)}});
  // Later ones win, and a flag may stand only once: what is said twice is kept where it is last.
  std::vector<Setting> settings = plan.settings;
  settings.insert(settings.end(), own.begin(), own.end());
  settings.insert(settings.end(), swept.begin(), swept.end());
  std::map<std::string, std::string> last;
  for (const auto& [name, value] : settings) last[name] = value;
  if (options.num_threads > 0) {
    for (const char* name : {"threads", "num_workers"}) {
      last.emplace(name, std::to_string(options.num_threads));
    }
  }
  if (options.scale != 1) {
    TrainConfig whole = run.config;
    for (const auto& [name, value] : last) set(whole, name, value);
    std::vector<Setting> shorter;
    make_shorter(whole, options.scale, shorter);
    for (const auto& [name, value] : shorter) last[name] = value;
  }
  apply({last.begin(), last.end()});
  check(run.config);
  catalog::check_env_name(run.config.task.env);
  run.config.task.levels = checked_levels(run.config.task.levels);
  run.name = name_of(run.config, method, variant.first, swept);
  return run;
}

}  // namespace

Experiment read_experiment(const std::filesystem::path& file, const ExperimentOptions& options) {
  if (!std::filesystem::exists(file)) {
    throw std::invalid_argument("there is no file " + file.string());
  }
  const auto settings = run::parse_settings(read_text(file), file.string());
  try {
    const Plan plan = plan_of(settings);
    Experiment experiment{.name = file.stem().string(), .summary = plan.summary, .runs = {}};
    std::set<std::string> names;
    for (const std::string& preset_name : plan.presets) {
      for (const std::string& env : plan.envs) {
        for (const std::string& method : plan.methods) {
          for (const auto& variant : plan.variants) {
            for (const auto& swept : combinations(plan.sweep)) {
              for (const std::uint64_t seed : plan.seeds) {
                experiment.runs.push_back(
                    planned_run(plan, preset_name, env, method, seed, variant, swept, options));
                const std::string& name = experiment.runs.back().name;
                if (!names.insert(name).second) {
                  throw std::invalid_argument("two runs would be named " + name);
                }
              }
            }
          }
        }
      }
    }
    return experiment;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(file.string() + ": " + error.what());
  }
}

std::string difference(const TrainConfig& planned, const TrainConfig& found) {
  const std::set<std::string_view> ignored = {"steps", "device", "threads", "num_workers"};
  const std::map<std::string, std::string> there = values_of(found);
  for (const auto& [name, here] : values_of(planned)) {
    // What is "auto" in the plan has been made plain in the run.
    if (ignored.contains(name) || here == "auto" || there.at(name) == here) continue;
    return name + " is " + there.at(name) + ", not " + here;
  }
  return "";
}

}  // namespace plr::train
