// Edits and shortest solutions of the levels of a task, for curricula (core/rollout_curriculum.h).
//
//   const LevelTools tools = level_tools(*find_task("random-25"), options.maze, store);
//   const LevelId child = tools.edit(parent, 5, random);    // in the store
//
// The functions keep the store alive.  Copyable; a copy uses the same store.  Not thread-safe.
#pragma once

#include <memory>

#include "plr/core/level_store.h"
#include "plr/core/rollout_curriculum.h"
#include "plr/env/env_options.h"
#include "plr/maze/tasks.h"

namespace plr::maze {

// REQUIRES: store is not null.
LevelTools level_tools(const Task& task, const MazeOptions& options,
                       std::shared_ptr<LevelStore> store);

}  // namespace plr::maze
