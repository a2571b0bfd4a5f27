#include "plr/catalog/make_env.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "plr/core/closest_name.h"
#include "plr/minigrid/minigrid_env.h"
#include "plr/procgen/procgen_env.h"

namespace plr {
namespace {

// The reference's ids begin with its name, the paper's own do not.
bool is_of_the_paper(const minigrid::Task& task) { return !task.name.starts_with("MiniGrid-"); }

EnvInfo info_of(const minigrid::Task& task) {
  return {.name = minigrid::env_name(task),
          .group = is_of_the_paper(task) ? "The paper's own" : "MiniGrid 3.1.0",
          .summary = task.summary,
          .width = task.width,
          .height = task.height,
          .max_steps = task.max_steps,
          .num_actions = task.num_actions,
          .num_difficulties = task.num_difficulties};
}

EnvInfo info_of(const procgen::Variant& variant) {
  return {.name = variant.env_name(),
          .group = "Procgen 0.10.7",
          .summary = variant.game->name + ": " + variant.game->summary,
          .width = procgen::kImageSide,
          .height = procgen::kImageSide,
          .max_steps = variant.max_steps(),
          .num_actions = procgen::kNumActions,
          .returns = variant.returns()};
}

std::vector<EnvInfo> all_environments() {
  std::vector<EnvInfo> all;
  for (const bool of_the_paper : {true, false}) {
    for (const minigrid::Task& task : minigrid::tasks()) {
      if (is_of_the_paper(task) == of_the_paper) all.push_back(info_of(task));
    }
  }
  for (const procgen::Variant& variant : procgen::variants()) all.push_back(info_of(variant));
  return all;
}

[[noreturn]] void throw_unknown(std::string_view name) {
  std::vector<std::string> names;
  for (const EnvInfo& info : environments()) names.push_back(info.name);
  throw std::invalid_argument("unknown environment '" + std::string(name) + "'; did you mean " +
                              closest_name(name, names) + "?");
}

}  // namespace

std::span<const EnvInfo> environments() {
  static const std::vector<EnvInfo> all = all_environments();
  return all;
}

void check_env_name(std::string_view name) {
  const auto is_it = [&](const EnvInfo& info) { return info.name == name; };
  if (std::ranges::none_of(environments(), is_it)) throw_unknown(name);
}

std::unique_ptr<VectorEnv> make_env(std::string_view name, const EnvOptions& options) {
  for (const minigrid::Task& task : minigrid::tasks()) {
    if (minigrid::env_name(task) == name) {
      return std::make_unique<minigrid::MiniGridEnv>(task, options);
    }
  }
  if (const auto variant = procgen::find_variant(name)) {
    return std::make_unique<procgen::ProcgenEnv>(*variant, options);
  }
  throw_unknown(name);
}

}  // namespace plr
