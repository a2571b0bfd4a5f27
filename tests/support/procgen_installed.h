// Skips tests that need Procgen where it is not installed.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace plr::testing {

// True also for a wrong folder, with which the tests then fail.
inline bool has_procgen() {
  const char* folder = std::getenv("PLR_PROCGEN");
  return folder != nullptr && std::filesystem::exists(folder);
}

}  // namespace plr::testing

#define PLR_NEEDS_PROCGEN()                                                          \
  if (!plr::testing::has_procgen()) {                                                \
    GTEST_SKIP() << "Procgen is not installed here; ./plr setup procgen fetches it"; \
  }
