// The contents of an experiment file (plan.h), before they are combined to runs.
//
//   const PlanFile file = parse_plan_file(read_text(path), path);
//   file.presets[0].value;   // "small"
//
// Values are not checked, except seeds. Copyable; parsing is thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plr/run/settings_file.h"

namespace plr::experiment {

using run::Setting;
using Settings = std::vector<Setting>;

struct Variant {
  std::string name;
  Settings settings;  // may include preset, method and algorithm
};

struct PlanFile {
  std::string summary;
  Setting algorithm = {.name = "algorithm"};  // no value: that of the preset
  Settings presets = {{.name = "preset", .value = "small"}};
  Settings envs = {{.name = "env"}};        // no value: that of the preset
  Settings methods = {{.name = "method"}};  // no value: that of the preset
  std::vector<std::uint64_t> seeds = {1};
  Settings settings;
  std::vector<Settings> sweep;    // the values of each setting
  std::vector<Variant> variants;  // at least one; without a name if the file has none
};

// The lines and sections of an experiment file.
struct PlanLine {
  std::string_view name;
  std::string_view meaning;
};
inline constexpr std::array kPlanLines = {
    PlanLine{"summary", "one sentence about the experiment"},
    PlanLine{"preset", "the preset of all runs"},
    PlanLine{"presets", "a list: runs with each of these presets"},
    PlanLine{"plugin", "a shared library that brings environments, as plr train --plugin"},
    PlanLine{"env", "the environment of all runs; without it, that of the preset"},
    PlanLine{"envs", "a list: runs on each of these environments"},
    PlanLine{"method", "the method of all runs, as plr train --method"},
    PlanLine{"methods", "a list: runs with each of these methods"},
    PlanLine{"algorithm", "default, paper or released-code, as plr train --algorithm"},
    PlanLine{"seed", "the seed of all runs"},
    PlanLine{"seeds", "a range such as \"1-3\", or a list of numbers and ranges"},
    PlanLine{"[settings]", "settings of every run"},
    PlanLine{"[sweep]", "lists of values: runs with every combination of them"},
    PlanLine{"[variant.NAME]",
             "a named set of settings, with preset, method and algorithm; if there are variants, "
             "every run is of one"}};

// Throws std::invalid_argument "SOURCE:LINE: what is wrong", or "SOURCE: ..." if no line is wrong.
PlanFile parse_plan_file(const std::string& toml, const std::string& source);

}  // namespace plr::experiment
