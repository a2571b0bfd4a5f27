// What does the module plr._core consist of?
//
// A function per topic, called once by NB_MODULE (module.cc), in this order: later ones use the
// types of earlier ones.
#pragma once

#include <nanobind/nanobind.h>

#include "plr/core/level.h"

namespace plr::python {

namespace nb = nanobind;

void bind_levels(nb::module_& module);
void bind_curricula(nb::module_& module);
void bind_scorer(nb::module_& module);
void bind_environments(nb::module_& module);

// The set that Python means: a LevelSet, a number n for 0..n-1, a range, or ids.  Throws
// std::invalid_argument or raises TypeError if it is none.
LevelSet levels_from(nb::handle levels);

}  // namespace plr::python
