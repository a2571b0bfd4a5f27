// Checks an environment by its name: the conformance kit (env/conformance.h), its entry in the list
// of environments, and its pictures.
//
//   const std::vector<std::string> violations = env_violations("caves/gold", Observation::kFull);
//
// Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plr/env/conformance.h"
#include "plr/env/env_options.h"

namespace plr::catalog {

// The violated rules, one sentence each; empty if there are none.  Calls `checked` after each rule.
// Throws as make_env() does.
std::vector<std::string> env_violations(std::string_view name, Observation observation,
                                        const RuleChecked& checked = {});

}  // namespace plr::catalog
