#include "bindings.h"

NB_MODULE(_core, module) {  // NOLINT(readability-identifier-naming)
  module.doc() = "The C++ part of plr: level samplers, the scorer, the environments.";
  module.def(
      "version", [] { return PLR_VERSION; }, "The version of plr.");
  plr::python::bind_levels(module);
  plr::python::bind_curricula(module);
  plr::python::bind_scorer(module);
  plr::python::bind_rollout_curricula(module);
  plr::python::bind_environments(module);
  plr::python::bind_plugins(module);
}
