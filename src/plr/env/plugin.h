// The entry point of a plug-in: a shared library that brings a family of environments.
//
//   plr::Family caves() { return {.name = "caves", ...}; }   // env/family.h
//   PLR_PLUGIN(caves)
//
// A program that loads the library (catalog/plugins.h) knows the family as one of its own:
//
//   plr train --plugin ./libcaves.so --env caves/small
//
// C++ objects cross the boundary, so that both sides must have compiled the same types. The entry
// point is a C function that says which ones the library was compiled with; a program of another
// interface refuses it before it touches any of them. The library is never unloaded.
//
// A plain struct; the entry point is thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "plr/base/bytes.h"
#include "plr/base/random.h"
#include "plr/env/family.h"
#include "plr/env/vector_env.h"

namespace plr {

// Raised when something in the headers of env/ changes so that libraries must be compiled again.
inline constexpr std::uint32_t kPluginVersion = 2;

// The C++ standard library: programs and plug-ins exchange its strings and vectors.
#if defined(_GLIBCXX_DEBUG)
#define PLR_STANDARD_LIBRARY "libstdc++ in debug mode"
#elif defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI == 0
#define PLR_STANDARD_LIBRARY "libstdc++ with the ABI before C++11"
#elif defined(_GLIBCXX_RELEASE)
#define PLR_STANDARD_LIBRARY "libstdc++"
#elif defined(_LIBCPP_VERSION)
#define PLR_STANDARD_LIBRARY "libc++"
#else
#define PLR_STANDARD_LIBRARY "unknown"
#endif

// A type that crosses the boundary.
struct PluginType {
  const char* name;
  std::size_t size;
};

// Those of this compiler and these headers.
constexpr auto plugin_types() {
  return std::array{PluginType{"Family", sizeof(Family)},
                    PluginType{"EnvInfo", sizeof(EnvInfo)},
                    PluginType{"EnvOptions", sizeof(EnvOptions)},
                    PluginType{"ActionSpace", sizeof(ActionSpace)},
                    PluginType{"EnvSpec", sizeof(EnvSpec)},
                    PluginType{"FrameOptions", sizeof(FrameOptions)},
                    PluginType{"StepBatch", sizeof(StepBatch)},
                    PluginType{"VectorEnv", sizeof(VectorEnv)},
                    PluginType{"ByteReader", sizeof(ByteReader)},
                    PluginType{"ByteWriter", sizeof(ByteWriter)},
                    PluginType{"LevelTools", sizeof(LevelTools)},
                    PluginType{"LevelStore", sizeof(LevelStore)},
                    PluginType{"Random", sizeof(Random)}};
}

// What the entry point returns. All versions begin with `version` and `standard_library`.
struct Plugin {
  std::uint32_t version;
  const char* standard_library;
  const PluginType* types;
  std::size_t num_types;
  // Called once, after all of the above was found equal. May throw.
  Family (*make_family)();
};

}  // namespace plr

// Defines the entry point of a library, once, outside of any namespace. `make_family` is a function
// without arguments that returns a plr::Family.
//
// The types are a static of this function, not a constant of the header: the linker merges inline
// constants of several libraries, also of those that were compiled with other headers.
#define PLR_PLUGIN(make_family)                                                               \
  extern "C" __attribute__((visibility("default"))) const plr::Plugin* plr_plugin() noexcept; \
  extern "C" const plr::Plugin* plr_plugin() noexcept {                                       \
    static constexpr auto types = plr::plugin_types();                                        \
    static constexpr plr::Plugin plugin = {plr::kPluginVersion, PLR_STANDARD_LIBRARY,         \
                                           types.data(), types.size(), make_family};          \
    return &plugin;                                                                           \
  }
