// The family "maze" (env/family.h): its tasks, pictures and facts, for the catalog.
#pragma once

#include "plr/env/family.h"

namespace plr::maze {

Family family();

}  // namespace plr::maze
