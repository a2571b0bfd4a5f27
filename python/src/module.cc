#include "bindings.h"

NB_MODULE(_core, module) {
  module.doc() = "What plr has in C++: level samplers, the scorer, the environments.";
  plr::python::bind_levels(module);
  plr::python::bind_curricula(module);
  plr::python::bind_scorer(module);
  plr::python::bind_environments(module);
}
