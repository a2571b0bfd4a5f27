#include "plr/catalog/make_env.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "plr/base/closest_name.h"
#include "plr/catalog/registry.h"

namespace plr::catalog {
namespace {

[[noreturn]] void throw_unknown(std::string_view name) {
  std::vector<std::string> names;
  for (const EnvInfo& info : environments()) names.push_back(info.name);
  std::string problem = "unknown environment '" + std::string(name) + "'; did you mean " +
                        closest_name(name, names) + "?";
  const std::string family(name.substr(0, name.find('/')));
  if (family != name && find_family(name) == nullptr) {
    problem += " If " + family + " is the family of a plug-in, give its file by --plugin FILE";
  }
  throw std::invalid_argument(problem);
}

}  // namespace

std::span<const EnvInfo> environments() { return registry().environments; }

const EnvInfo* find_environment(std::string_view name) {
  const std::span<const EnvInfo> all = environments();
  const auto found = std::ranges::find(all, name, &EnvInfo::name);
  return found != all.end() ? &*found : nullptr;
}

std::string absolute_env_name(std::string_view name) {
  if (find_environment(name) != nullptr) return std::string(name);
  const Family* family = find_family(name);
  std::optional<std::string> unlisted;
  if (family != nullptr && family->unlisted != nullptr) unlisted = family->unlisted(name);
  if (!unlisted) throw_unknown(name);
  return *unlisted;
}

void check_env_name(std::string_view name) { absolute_env_name(name); }

std::unique_ptr<VectorEnv> make_env(std::string_view name, const EnvOptions& options) {
  const Family* family = find_family(name);
  std::unique_ptr<VectorEnv> env = family != nullptr ? family->make(name, options) : nullptr;
  if (env == nullptr) throw_unknown(name);
  return env;
}

LevelTools level_tools(std::string_view name, const EnvOptions& options,
                       std::shared_ptr<LevelStore> store) {
  const Family* family = find_family(name);
  if (family == nullptr) throw_unknown(name);
  if (family->level_tools == nullptr) return {};
  return family->level_tools(name, options, std::move(store));
}

}  // namespace plr::catalog
