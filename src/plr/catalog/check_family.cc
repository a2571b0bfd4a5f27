#include "plr/catalog/check_family.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "plr/catalog/family.h"

namespace plr::catalog {
namespace {

// The letters of a family's name.
bool is_word(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  };
  return !text.empty() && std::ranges::all_of(text, is_letter);
}

// "caves: title must not be empty"
void require(bool holds, std::string_view subject, std::string_view rule) {
  if (!holds) throw std::invalid_argument(std::string(subject) + ": " + std::string(rule));
}

void require_positive(std::int64_t value, std::string_view subject, std::string_view field) {
  require(value > 0, subject,
          std::string(field) + " must be at least 1, not " + std::to_string(value));
}

void check_environment(const Family& family, const EnvInfo& info) {
  require(info.name.starts_with(family.name + "/") && info.name.size() > family.name.size() + 1,
          family.name,
          "names of environments must begin with " + family.name + "/, not '" + info.name + "'");
  require(!info.group.empty(), info.name, "group must not be empty");
  require(!info.summary.empty(), info.name, "summary must not be empty");
  require_positive(info.width, info.name, "width");
  require_positive(info.height, info.name, "height");
  require_positive(info.max_steps, info.name, "max_steps");
  require(info.actions.is_valid(), info.name, "actions must be a valid space (plr/env/spaces.h)");
  const std::size_t num_names = family.action_names.size();
  require(num_names == 0 || static_cast<std::size_t>(info.actions.num_choices()) <= num_names,
          info.name,
          "action_names must be empty or name " + std::to_string(info.actions.num_choices()) +
              " actions, not " + std::to_string(num_names));
  require(info.num_difficulties >= 0, info.name, "num_difficulties must not be negative");
  require(!info.returns || info.returns->low < info.returns->high, info.name,
          "returns must have a low that is below its high");
}

}  // namespace

void check_family(const Family& family) {
  require(is_word(family.name), "family",
          "its name must be letters, digits, - and _, not '" + family.name + "'");
  const std::string& name = family.name;
  require(!family.title.empty(), name, "title must not be empty");
  require(!family.observations.empty(), name, "observations must not be empty");
  for (const Observation observation : family.observations) {
    require(observation == Observation::kFull || observation == Observation::kView, name,
            "observations must be kFull or kView");
  }
  require(family.num_training_levels > 0, name, "num_training_levels must be at least 1, not 0");
  require_positive(family.gpu_share.cores_per_run, name, "gpu_share.cores_per_run");
  require_positive(family.gpu_share.runs_per_gpu, name, "gpu_share.runs_per_gpu");
  require(family.make != nullptr, name, "make must not be null");
  require((family.text == nullptr) == (family.legend == nullptr), name,
          "text and legend must both be given, or none");
  require(!family.environments.empty() || family.unlisted != nullptr, name,
          "environments must not be empty");
  std::set<std::string> names;
  std::set<std::string> short_names;
  for (const EnvInfo& info : family.environments) {
    check_environment(family, info);
    require(names.insert(info.name).second, info.name, "must be listed once");
    require(short_names.insert(short_name(family, info.name)).second, info.name,
            "must have a short name of its own");
    require(!report_group(family, info.name).empty(), info.name,
            "its report group must not be empty");
  }
}

}  // namespace plr::catalog
