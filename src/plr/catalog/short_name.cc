#include "plr/catalog/short_name.h"

#include "plr/catalog/family.h"

namespace plr::catalog {

std::string short_env_name(std::string_view env) {
  const Family* family = find_family(env);
  if (family != nullptr) return short_name(*family, env);
  return std::string(env.substr(env.rfind('/') + 1));
}

}  // namespace plr::catalog
