// The definitions of all tasks.  Use tasks.h to access them.
#pragma once

#include <vector>

#include "plr/minigrid/tasks.h"

namespace plr::minigrid {

std::vector<Task> registered_tasks();

}  // namespace plr::minigrid
