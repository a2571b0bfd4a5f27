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
// The kit uses only the public functions of VectorEnv and depends on no test framework.  `plr
// check` runs it, and catalog/conformance_test.cc does for all environments of the catalog.
// Thread-safe if `make` is.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plr/env/vector_env.h"

namespace plr {

// Makes a new environment; every call must make the same kind.
using MakeEnv = std::function<std::unique_ptr<VectorEnv>(int num_slots, int num_workers)>;

// A rule and whether the environment obeys it.
struct RuleCheck {
  std::string rule;                     // "equal levels give equal episodes"
  std::vector<std::string> violations;  // one sentence each; empty if the environment conforms
  bool was_checked = true;              // false: it does not apply, or depends on a violated one
};
using RuleChecked = std::function<void(const RuleCheck&)>;

// The violations of all rules; empty if the environment conforms.  Calls `checked` after each rule.
std::vector<std::string> conformance_violations(const MakeEnv& make,
                                                const RuleChecked& checked = {});

}  // namespace plr
