// Checks that an environment obeys the rules of vector_env.h.
//
// Every environment must pass:
//
//   const auto make = [](int num_slots, int num_workers) {
//     return make_env("minigrid/MultiRoom-N4-Random",
//                     {.num_slots = num_slots, .num_workers = num_workers});
//   };
//   EXPECT_EQ(conformance_violations(make), std::vector<std::string>{});
//
// The kit uses only the public functions of VectorEnv and depends on no test framework.
// catalog/conformance_test.cc runs it over all environments of the catalog.  Thread-safe if `make`
// is.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plr/env/vector_env.h"

namespace plr {

// Makes a new environment; every call must make the same kind.
using MakeEnv = std::function<std::unique_ptr<VectorEnv>(int num_slots, int num_workers)>;

// The violated rules, one sentence each; empty if the environment conforms.
std::vector<std::string> conformance_violations(const MakeEnv& make);

}  // namespace plr
