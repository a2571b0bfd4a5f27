#include "plr/experiment/plan_file.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "plr/base/closest_name.h"
#include "plr/base/ranges.h"

namespace plr::experiment {
namespace {

using run::ParsedSetting;

constexpr std::uint64_t kMaxSeeds = 10'000;  // of one range: more are a typing error

// Numbers and ranges like 1-10.
std::vector<std::uint64_t> parse_seeds(const std::vector<std::string>& values) {
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

// One setting for each value of a line.
Settings settings_of(const std::string& name, const ParsedSetting& line) {
  Settings settings;
  for (const std::string& value : line.values) settings.push_back({name, value, line.place});
  return settings;
}

Setting one_setting(const ParsedSetting& line) {
  if (line.values.size() == 1) return {line.name, line.values.front(), line.place};
  throw std::invalid_argument(line.name + " has " + std::to_string(line.values.size()) +
                              " values; lists belong under [sweep]");
}

void add_top_level(const ParsedSetting& line, PlanFile& file) {
  const std::map<std::string, std::function<void()>> known = {
      {"summary", [&] { file.summary = line.values.front(); }},
      {"algorithm", [&] { file.algorithm = settings_of("algorithm", line).front(); }},
      {"preset", [&] { file.presets = settings_of("preset", line); }},
      {"presets", [&] { file.presets = settings_of("preset", line); }},
      {"plugin", [&] { file.settings.push_back(one_setting(line)); }},
      {"env", [&] { file.envs = settings_of("env", line); }},
      {"envs", [&] { file.envs = settings_of("env", line); }},
      {"method", [&] { file.methods = settings_of("method", line); }},
      {"methods", [&] { file.methods = settings_of("method", line); }},
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

void add_in_section(const ParsedSetting& line, PlanFile& file) {
  if (line.name == "seed") {
    throw std::invalid_argument("seed belongs above all sections, as in  seeds = \"1-5\"");
  }
  const bool is_empty = line.name.empty();  // the section
  if (line.section == "settings") {
    if (!is_empty) file.settings.push_back(one_setting(line));
  } else if (line.section == "sweep") {
    if (!is_empty) file.sweep.push_back(settings_of(line.name, line));
  } else if (line.section.starts_with("variant.")) {
    const std::string name = line.section.substr(8);
    if (file.variants.empty() || file.variants.back().name != name) {
      file.variants.push_back({name, {}});
    }
    if (!is_empty) file.variants.back().settings.push_back(one_setting(line));
  } else {
    throw std::invalid_argument("unknown section [" + line.section +
                                "]; use [settings], [sweep] or [variant.NAME]");
  }
}

}  // namespace

PlanFile parse_plan_file(const std::string& toml, const std::string& source) {
  const std::vector<ParsedSetting> lines = run::parse_settings(toml, source);
  if (lines.empty()) throw std::invalid_argument(source + ": the file names no runs");
  PlanFile file;
  std::set<std::string> given;  // above all sections, without a plural s
  for (const ParsedSetting& line : lines) {
    run::with_place(line.place, [&] {
      if (line.values.empty() && !line.name.empty()) {
        throw std::invalid_argument(line.name + " has no value");
      }
      if (!line.section.empty()) return add_in_section(line, file);
      if (!given.insert(line.name.substr(0, line.name.find_last_not_of('s') + 1)).second) {
        throw std::invalid_argument(line.name + " is given twice");
      }
      add_top_level(line, file);
    });
  }
  if (file.variants.empty()) file.variants.push_back({"", {}});
  return file;
}

}  // namespace plr::experiment
