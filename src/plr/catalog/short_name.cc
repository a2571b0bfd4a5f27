#include "plr/catalog/short_name.h"

namespace plr {

std::string short_env_name(const std::string& env) {
  std::string name = env.substr(env.rfind('/') + 1);
  if (name.starts_with("MiniGrid-")) name = name.substr(9);
  if (name.ends_with("-v0")) name = name.substr(0, name.size() - 3);
  return name;
}

}  // namespace plr
