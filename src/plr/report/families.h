// Groups of environments whose returns are averaged, and the ranges that normalize them.
// Thread-safe.
#pragma once

#include <string>

#include "plr/report/statistics.h"

namespace plr::report {

// "MiniGrid", "Procgen (easy)", "Procgen (hard)"; for an unknown family the part before the slash.
std::string family_of(const std::string& env);

// The range of the environment's authors; 0 to 1 if they give none, as for MiniGrid, or if it is
// unknown.
ReturnRange return_range_of(const std::string& env);

}  // namespace plr::report
