// Makes an environment by its name, and lists the environments that exist.
//
//   const std::unique_ptr<VectorEnv> env =
//       make_env("minigrid/MultiRoom-N4-Random", {.num_slots = 64});
//
// A name is FAMILY/TASK; family.h lists the families.  Thread-safe: several threads may make
// environments at the same time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "plr/catalog/family.h"
#include "plr/core/level_store.h"
#include "plr/core/rollout_curriculum.h"
#include "plr/env/env_options.h"
#include "plr/env/vector_env.h"

namespace plr::catalog {

// The environments of all families, those of the PLR paper first.
std::span<const EnvInfo> environments();

// Null if no environment of this name is listed.
const EnvInfo* find_environment(std::string_view name);

// Throws std::invalid_argument for an unknown name and suggests the closest known one.
void check_env_name(std::string_view name);

// The name, with an absolute path if it is that of a file (maze/file:PATH), so that a run can be
// resumed from any working directory.  Throws as check_env_name() does.
std::string absolute_env_name(std::string_view name);

// Throws std::invalid_argument for an unknown name as check_env_name() does, and for options that
// are out of bounds or that the environment does not offer; std::runtime_error with instructions if
// files that it needs are not installed, as for Procgen.
std::unique_ptr<VectorEnv> make_env(std::string_view name, const EnvOptions& options = {});

// Operations on the levels of an environment, which adds new levels to the store; those that it
// does not offer are empty.  Throws as make_env() does.
LevelTools level_tools(std::string_view name, const EnvOptions& options,
                       std::shared_ptr<LevelStore> store);

}  // namespace plr::catalog
