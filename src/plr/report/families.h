// Which environments may be averaged, and between which returns?
#pragma once

#include <string>

#include "plr/report/statistics.h"

namespace plr::report {

// "MiniGrid", "Procgen (easy)", "Procgen (hard)"; else what stands before the slash.
std::string family_of(const std::string& env);

// As its inventors normalize it; 0 to 1 where they do not say, as for MiniGrid, or it is unknown.
ReturnRange return_range_of(const std::string& env);

}  // namespace plr::report
