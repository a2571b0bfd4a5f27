// The behavior version: an integer that changes whenever a run with the same settings and seed
// plays other episodes than before, on the same machine with the same libraries.
//
//   version 1   slots advance in groups
//   version 2   every slot advances on its own; Procgen runs differ from version 1
//
// Runs store it with every evaluation, and reports warn if versions are mixed.  tests/behavior pins
// it: traces of short runs with a scripted policy.  If one of them changes on purpose, raise the
// number, record the traces again, and describe the change here and in CHANGELOG.md.
#pragma once

#include <cstdint>

namespace plr::run {

inline constexpr std::int64_t kBehaviorVersion = 2;

// Of a run whose files do not name a version.
inline constexpr std::int64_t kUnnamedBehaviorVersion = 1;

}  // namespace plr::run
