// The family "minigrid" (env/family.h): its tasks, pictures and facts, for the catalog.
//
// Apart from the engine, which needs no pictures.
#pragma once

#include "plr/env/family.h"

namespace plr::minigrid {

Family family();

}  // namespace plr::minigrid
