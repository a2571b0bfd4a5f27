#include "plr/catalog/plugins.h"

#include <nanobind/stl/string.h>

#include "bindings.h"
#include "numbers.h"

namespace plr::python {

void bind_plugins(nb::module_& module) {
  module.def(
      "load_plugin",
      [](nb::handle path) {
        return catalog::load_plugin(text_from("path", path), catalog::NamedBy::kUser).family;
      },
      "path"_arg, nb::sig("def load_plugin(path: str) -> str"),
      "Loads a shared library that brings a family of environments; returns the family's name.");
}

}  // namespace plr::python
