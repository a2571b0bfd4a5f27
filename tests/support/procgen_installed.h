// Is Procgen there, for the tests that play it?
//
// Machines without x86-64 or a network cannot have it; their tests say so and are skipped.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace plr::testing {

// A folder that is there but wrong is a failure of the test, not an excuse.
inline bool has_procgen() {
  const char* folder = std::getenv("PLR_PROCGEN");
  return folder != nullptr && std::filesystem::exists(folder);
}

}  // namespace plr::testing

#define PLR_NEEDS_PROCGEN()                                                          \
  if (!plr::testing::has_procgen()) {                                                \
    GTEST_SKIP() << "Procgen is not installed here; ./plr setup procgen fetches it"; \
  }
