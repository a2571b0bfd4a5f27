#include "plr/report/families.h"

#include <algorithm>

#include "plr/catalog/make_env.h"

namespace plr {
namespace {

const EnvInfo* info_of(const std::string& env) {
  const auto all = environments();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const EnvInfo& info) { return info.name == env; });
  return found != all.end() ? &*found : nullptr;
}

}  // namespace

std::string family_of(const std::string& env) {
  if (env.starts_with("minigrid/")) return "MiniGrid";
  if (!env.starts_with("procgen/")) return env.substr(0, env.find('/'));
  const std::size_t hyphen = env.rfind('-');
  return "Procgen (" + (hyphen == std::string::npos ? "easy" : env.substr(hyphen + 1)) + ")";
}

ReturnRange return_range_of(const std::string& env) {
  const EnvInfo* info = info_of(env);
  return info != nullptr && info->returns ? *info->returns : ReturnRange{};
}

}  // namespace plr
