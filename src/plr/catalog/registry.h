// The list of families: those of this project, then those of plug-ins in the order of loading.
//
//   for (const Family& family : registry().families) ...
//   add_family(std::move(family));
//
// A list is constant. Adding a family makes a longer one; earlier ones, and what refers to them,
// stay valid until the program ends. Thread-safe; registry() takes no lock.
#pragma once

#include <vector>

#include "plr/env/family.h"

namespace plr::catalog {

struct Registry {
  std::vector<Family> families;
  std::vector<EnvInfo> environments;  // of all families
};

const Registry& registry();

// Throws std::invalid_argument if a field of the family is invalid (check_family.h) or another one
// has its name.
void add_family(Family family);

}  // namespace plr::catalog
