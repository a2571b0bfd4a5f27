// Does an environment keep what vector_env.h promises?
//
// Every environment is to pass this kit, whoever wrote it:
//
//   const auto make = [](int num_slots, int num_workers) {
//     return make_env("minigrid/MultiRoom-N4-Random",
//                     {.num_slots = num_slots, .num_workers = num_workers});
//   };
//   EXPECT_EQ(conformance_violations(make), std::vector<std::string>{});
//
// It looks at the environment through its public functions only, so it needs nothing else to be
// true; and it knows no test framework.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plr/env/vector_env.h"

namespace plr {

// A fresh environment; every call must make the same kind.
using MakeEnv = std::function<std::unique_ptr<VectorEnv>(int num_slots, int num_workers)>;

// The promises that it does not keep, one sentence each.
std::vector<std::string> conformance_violations(const MakeEnv& make);

}  // namespace plr
