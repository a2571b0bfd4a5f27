// Which tasks exist?  The list itself; tasks.h is the way to it.
#pragma once

#include <vector>

#include "plr/minigrid/tasks.h"

namespace plr::minigrid {

std::vector<Task> registered_tasks();

}  // namespace plr::minigrid
