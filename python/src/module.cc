#include "bindings.h"

NB_MODULE(_core, module) {  // NOLINT(readability-identifier-naming)
#ifdef NDEBUG
  // Objects that a script still holds when Python ends, such as in a graph of torch, are no leak.
  nanobind::set_leak_warnings(false);
#endif
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
