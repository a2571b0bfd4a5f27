// Which environments are there, and how is one made?
//
//   const std::unique_ptr<VectorEnv> env =
//       make_env("minigrid/MultiRoom-N4-Random", {.num_slots = 64});
//
// A name is FAMILY/TASK.  This is the one place that knows the families: each brings its names and
// a constructor, and depends on env/ only.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "plr/env/env_options.h"
#include "plr/env/return_range.h"
#include "plr/env/vector_env.h"

namespace plr {

struct EnvInfo {
  std::string name;
  std::string group;    // the heading under which it is listed
  std::string summary;  // one plain line
  int width = 0;        // of its grid, or of its picture in pixels
  int height = 0;
  int max_steps = 0;
  int num_actions = 0;
  int num_difficulties = 0;  // 0: its levels have no degree of difficulty
  // Which returns are normalized to 0 and 1, where its inventors say so.
  std::optional<ReturnRange> returns = std::nullopt;
};

// All environments in the order of a reader: the paper's first.
std::span<const EnvInfo> environments();

// Throws std::invalid_argument for an unknown name, with the closest known one.
void check_env_name(std::string_view name);

// Throws std::invalid_argument as check_env_name does, and for options
// that are out of their bounds or that the environment does not have; std::runtime_error if Procgen
// is asked for and not installed, with what to do.
std::unique_ptr<VectorEnv> make_env(std::string_view name, const EnvOptions& options = {});

}  // namespace plr
