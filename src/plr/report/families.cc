#include "plr/report/families.h"

#include "plr/catalog/make_env.h"

namespace plr {

std::string family_of(const std::string& env) {
  if (env.starts_with("minigrid/")) return "MiniGrid";
  return env.substr(0, env.find('/'));
}

ReturnRange return_range_of(const std::string& /*env*/) { return {0, 1}; }

}  // namespace plr
