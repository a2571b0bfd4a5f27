// The family "procgen" (env/family.h): its games, action names and facts, for the catalog.
#pragma once

#include "plr/env/family.h"

namespace plr::procgen {

Family family();

}  // namespace plr::procgen
