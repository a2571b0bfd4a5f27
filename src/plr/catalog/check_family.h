// Checks the description of a family of environments (env/family.h).
//
//   check_family(family);   // a plug-in's; those of this project are checked by a test
//
// Thread-safe.
#pragma once

#include "plr/env/family.h"

namespace plr::catalog {

// Throws std::invalid_argument that names the first invalid field: a name that is missing, not
// unique or of the wrong form, a number out of bounds, a function that is missing.
void check_family(const Family& family);

}  // namespace plr::catalog
