// Loads plug-ins: shared libraries that bring a family of environments (env/plugin.h).
//
//   load_plugin("./libcaves.so", NamedBy::kUser);
//   const std::unique_ptr<VectorEnv> env = make_env("caves/gold");
//
// A library is code that the program executes. One that the user names is loaded and remembered, by
// path and SHA-256, in a folder of the user's cache. One that the folder of a run names is loaded
// only if it is remembered, so that a folder from another person executes nothing.
//
// A library stays loaded until the program ends. An exception that it throws while it makes its
// family is passed on as described below; one in an initializer of a global object ends the
// program. Thread-safe.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace plr::catalog {

struct LoadedPlugin {
  std::string path;    // absolute
  std::string sha256;  // of the file when it was loaded
  std::string family;  // the name of its family
};

enum class NamedBy { kUser, kRun };

// Returns at once if the file is loaded already. Throws std::invalid_argument "plug-in PATH ..." if
// it is no shared library for this program, has no entry point, was compiled for another interface,
// if its family is invalid or has the name of another one, or if a run names it and the user has
// not. Nothing has changed then.
const LoadedPlugin& load_plugin(const std::filesystem::path& file, NamedBy named_by);

// The plug-in that has brought the family of an environment; null if none has.
const LoadedPlugin* find_plugin(std::string_view env);

}  // namespace plr::catalog
