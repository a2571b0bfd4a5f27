// The contents of an experiment file (plan.h), before they are combined to runs.
//
//   const PlanFile file = parse_plan_file(read_text(path), path);
//   file.presets[0].value;   // "small"
//
// Values are not checked, except seeds. Copyable; parsing is thread-safe.
#pragma once

#include <cstdint>
#include <string>
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

// Throws std::invalid_argument "SOURCE:LINE: what is wrong", or "SOURCE: ..." if no line is wrong.
PlanFile parse_plan_file(const std::string& toml, const std::string& source);

}  // namespace plr::experiment
