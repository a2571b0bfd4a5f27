// The option --plugin of the verbs that take an environment or runs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "plr/catalog/plugins.h"

namespace plr::app {

// Loads the plug-in while the arguments are parsed, so that the verb knows its environments.  It
// replaces the plug-in that a run names.
inline void add_plugin_option(CLI::App& verb) {
  verb.add_option_function<std::string>(
          "--plugin",
          [](const std::string& path) { catalog::load_plugin(path, catalog::NamedBy::kUser); },
          "a shared library that brings environments (docs/adding_an_environment.md)")
      ->type_name("FILE");
}

}  // namespace plr::app
