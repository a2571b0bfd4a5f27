// Skips tests that play Procgen where it is not installed.
//
// Machines without x86-64 or a network do not have it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace plr::testing {

// An existing but invalid folder makes the tests fail instead of skipping them.
inline bool has_procgen() {
  const char* folder = std::getenv("PLR_PROCGEN");
  return folder != nullptr && std::filesystem::exists(folder);
}

}  // namespace plr::testing

#define PLR_NEEDS_PROCGEN()                                                          \
  if (!plr::testing::has_procgen()) {                                                \
    GTEST_SKIP() << "Procgen is not installed here; ./plr setup procgen fetches it"; \
  }
