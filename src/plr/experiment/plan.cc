#include "plr/experiment/plan.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "plr/base/closest_name.h"
#include "plr/base/files.h"
#include "plr/base/ranges.h"
#include "plr/catalog/make_env.h"
#include "plr/catalog/short_name.h"
#include "plr/run/file_name.h"
#include "plr/run/settings_file.h"
#include "plr/train/training_levels.h"

namespace plr::experiment {
namespace {

using Values = std::vector<std::string>;
using Setting = std::pair<std::string, std::string>;

using Settings = std::vector<Setting>;

struct Variant {
  std::string name;
  Settings settings;  // may include preset, method and algorithm
};

// The contents of the file.
struct PlanFile {
  std::string summary;
  std::string algorithm;
  Values presets = {"small"};
  Values envs = {""};     // empty: that of the preset
  Values methods = {""};  // empty: that of the preset
  std::vector<std::uint64_t> seeds = {1};
  Settings settings;
  std::vector<std::pair<std::string, Values>> sweep;
  std::vector<Variant> variants = {};
};

constexpr std::uint64_t kMaxSeeds = 10'000;  // of one range: more are a typing error

// Numbers and ranges like 1-10.
std::vector<std::uint64_t> parse_seeds(const Values& values) {
  std::vector<std::uint64_t> seeds;
  for (const std::string& value : values) {
    const std::optional<NumberRange> range = parse_range(value);
    if (!range || range->is_reversed()) {
      throw std::invalid_argument("seeds must be numbers or ranges like 1-10, not " + value);
    }
    if (range->last - range->first >= kMaxSeeds) {
      throw std::invalid_argument("seeds must be at most " + std::to_string(kMaxSeeds) +
                                  " in a range, not " + value);
    }
    for (std::uint64_t i = 0; i <= range->last - range->first; ++i) {
      seeds.push_back(range->first + i);
    }
  }
  return seeds;
}

void add_top_level(const run::ParsedSetting& line, PlanFile& file) {
  const std::map<std::string, std::function<void()>> known = {
      {"summary", [&] { file.summary = line.values.front(); }},
      {"algorithm", [&] { file.algorithm = line.values.front(); }},
      {"preset", [&] { file.presets = line.values; }},
      {"presets", [&] { file.presets = line.values; }},
      {"env", [&] { file.envs = line.values; }},
      {"envs", [&] { file.envs = line.values; }},
      {"method", [&] { file.methods = line.values; }},
      {"methods", [&] { file.methods = line.values; }},
      {"seed", [&] { file.seeds = parse_seeds(line.values); }},
      {"seeds", [&] { file.seeds = parse_seeds(line.values); }}};
  const auto found = known.find(line.name);
  if (found != known.end()) return found->second();
  std::vector<std::string> names;
  for (const auto& [name, set_field] : known) names.push_back(name);
  throw std::invalid_argument("unknown line '" + line.name + "'; did you mean " +
                              closest_name(line.name, names) +
                              "?  Settings of runs belong under [settings]");
}

const std::string& one_value(const run::ParsedSetting& line) {
  if (line.values.size() == 1) return line.values.front();
  throw std::invalid_argument(line.name + " has " + std::to_string(line.values.size()) +
                              " values; lists belong under [sweep]");
}

void check_line(const run::ParsedSetting& line) {
  if (line.values.empty()) throw std::invalid_argument(line.name + " has no value");
  if (!line.section.empty() && line.name == "seed") {
    throw std::invalid_argument("seed belongs above all sections, as in  seeds = \"1-5\"");
  }
}

PlanFile parse(const std::vector<run::ParsedSetting>& lines) {
  if (lines.empty()) throw std::invalid_argument("the file names no runs");
  PlanFile file;
  std::set<std::string> given;  // without a plural s
  for (const run::ParsedSetting& line : lines) {
    check_line(line);
    if (line.section.empty()) {
      if (!given.insert(line.name.substr(0, line.name.find_last_not_of('s') + 1)).second) {
        throw std::invalid_argument(line.name + " is given twice");
      }
      add_top_level(line, file);
    } else if (line.section == "settings") {
      file.settings.emplace_back(line.name, one_value(line));
    } else if (line.section == "sweep") {
      file.sweep.emplace_back(line.name, line.values);
    } else if (line.section.starts_with("variant.")) {
      const std::string name = line.section.substr(8);
      if (file.variants.empty() || file.variants.back().name != name) {
        file.variants.push_back({name, {}});
      }
      file.variants.back().settings.emplace_back(line.name, one_value(line));
    } else {
      throw std::invalid_argument("unknown section [" + line.section +
                                  "]; use [settings], [sweep] or [variant.NAME]");
    }
  }
  if (file.variants.empty()) file.variants.push_back({"", {}});
  return file;
}

// Every combination of one value of each list.
std::vector<Settings> combinations(const std::vector<std::pair<std::string, Values>>& lists) {
  std::vector<Settings> all = {{}};
  for (const auto& [name, values] : lists) {
    std::vector<Settings> longer;
    for (const Settings& partial : all) {
      for (const std::string& value : values) {
        longer.push_back(partial);
        longer.back().emplace_back(name, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// Removes the entry `name` from the settings and returns its value, or `fallback` if there is none.
std::string extract_or(Settings& settings, const std::string& name, const std::string& fallback) {
  std::string value = fallback;
  std::erase_if(settings, [&](const Setting& setting) {
    if (setting.first == name) value = setting.second;
    return setting.first == name;
  });
  return value;
}

std::string run_name(const train::TrainConfig& config, const std::string& method,
                     const std::string& variant, const Settings& swept) {
  std::string name = catalog::short_env_name(config.task.env);
  if (!method.empty()) name += "-" + method;
  if (!variant.empty() && variant != method) name += "-" + variant;
  for (const auto& [setting, value] : swept) name += "-" + setting + value;
  return run::file_name(name) + "-s" + std::to_string(config.schedule.seed);
}

// The settings that shorten a run to `scale` of its steps.
Settings shorter(const train::TrainConfig& config, double scale) {
  Settings settings;
  const std::int64_t batch = train::steps_per_update(config);
  const auto steps = static_cast<std::int64_t>(static_cast<double>(config.schedule.steps) * scale);
  const std::int64_t updates = std::max<std::int64_t>(1, steps / batch);
  settings.emplace_back("steps", std::to_string(updates * batch));
  // About ten evaluations and level records remain.
  const std::int64_t often = std::max<std::int64_t>(1, updates / 10);
  const train::ScheduleConfig& schedule = config.schedule;
  if (schedule.eval_interval > often) {
    settings.emplace_back("eval_interval", std::to_string(often));
  }
  if (schedule.levels_interval > often) {
    settings.emplace_back("levels_interval", std::to_string(often));
  }
  return settings;
}

// One combination of what the file lists.
struct Combination {
  std::string preset;
  std::string env;
  std::string method;
  const Variant& variant;
  const Settings& swept;
  std::uint64_t seed;
};

// Collects the settings of a run; later ones win.  A flag may be given only once, so that a setting
// that occurs several times keeps its last value.
std::map<std::string, std::string> joined_settings(const PlanFile& file, const Settings& variant,
                                                   const Settings& swept) {
  std::map<std::string, std::string> last;
  for (const Settings* settings : {&file.settings, &variant, &swept}) {
    for (const auto& [name, value] : *settings) last[name] = value;
  }
  return last;
}

PlannedRun plan_run(const PlanFile& file, const Combination& combination,
                    const PlanOptions& options) {
  Settings of_variant = combination.variant.settings;
  const std::string preset_name = extract_or(of_variant, "preset", combination.preset);
  const std::string method = extract_or(of_variant, "method", combination.method);
  const std::string algorithm = extract_or(of_variant, "algorithm", file.algorithm);
  PlannedRun run;
  run.config = train::preset(preset_name);
  run.arguments = {"--preset", preset_name};
  if (!algorithm.empty()) {
    train::set_algorithm(run.config, enum_from<Algorithm>("algorithm", algorithm));
    run.arguments.insert(run.arguments.end(), {"--algorithm", algorithm});
  }
  if (!method.empty()) {
    train::set_method(run.config, enum_from<train::Method>("method", method));
    run.arguments.insert(run.arguments.end(), {"--method", method});
  }
  const auto apply = [&run](const std::string& name, const std::string& value) {
    set(run.config, name, value);
    run.arguments.insert(run.arguments.end(), {train::flag_of(name), value});
  };
  if (!combination.env.empty()) apply("env", combination.env);
  apply("seed", std::to_string(combination.seed));
  std::map<std::string, std::string> settings =
      joined_settings(file, of_variant, combination.swept);
  if (options.num_threads > 0) {
    for (const char* name : {"threads", "num_workers"}) {
      settings.emplace(name, std::to_string(options.num_threads));
    }
  }
  if (options.scale != 1) {
    train::TrainConfig whole = run.config;
    for (const auto& [name, value] : settings) set(whole, name, value);
    for (const auto& [name, value] : shorter(whole, options.scale)) settings[name] = value;
  }
  for (const auto& [name, value] : settings) apply(name, value);
  check(run.config);
  catalog::check_env_name(run.config.task.env);
  run.config.task.levels = train::checked_levels(run.config.task.levels);
  run.name = run_name(run.config, method, combination.variant.name, combination.swept);
  return run;
}

// Calls `visit` with every combination, the seed changing fastest.
template <class Visit>
void visit_combinations(const PlanFile& file, Visit visit) {
  const std::vector<Settings> sweep = combinations(file.sweep);
  for (const std::string& preset_name : file.presets) {
    for (const std::string& env : file.envs) {
      for (const std::string& method : file.methods) {
        for (const Variant& variant : file.variants) {
          for (const Settings& swept : sweep) {
            for (const std::uint64_t seed : file.seeds) {
              visit(Combination{preset_name, env, method, variant, swept, seed});
            }
          }
        }
      }
    }
  }
}

}  // namespace

Plan read_plan(const std::filesystem::path& file, const PlanOptions& options) {
  if (!std::filesystem::exists(file)) {
    throw std::invalid_argument("there is no file " + file.string());
  }
  const auto settings = run::parse_settings(read_text(file), file.string());
  try {
    const PlanFile contents = parse(settings);
    Plan plan{.name = file.stem().string(), .summary = contents.summary, .runs = {}};
    std::set<std::string> names;
    visit_combinations(contents, [&](const Combination& combination) {
      plan.runs.push_back(plan_run(contents, combination, options));
      const std::string& name = plan.runs.back().name;
      if (!names.insert(name).second) {
        throw std::invalid_argument("two runs would be named " + name);
      }
    });
    return plan;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(file.string() + ": " + error.what());
  }
}

std::string difference(const train::TrainConfig& planned, const train::TrainConfig& found) {
  const std::set<std::string_view> ignored = {"steps", "device", "threads", "num_workers"};
  const std::map<std::string, std::string> there = train::values_of(found);
  for (const auto& [name, here] : train::values_of(planned)) {
    // "auto" in the plan has been resolved in the run.
    if (ignored.contains(name) || here == "auto" || there.at(name) == here) continue;
    return name + " is " + there.at(name) + ", not " + here;
  }
  return "";
}

}  // namespace plr::experiment
