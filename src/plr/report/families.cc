#include "plr/report/families.h"

#include "plr/catalog/make_env.h"

namespace plr::report {

std::string family_of(const std::string& env) {
  const Family* family = catalog::find_family(env);
  return family != nullptr ? catalog::report_group(*family, env) : env.substr(0, env.find('/'));
}

ReturnRange return_range_of(const std::string& env) {
  const EnvInfo* info = catalog::find_environment(env);
  return info != nullptr && info->returns ? *info->returns : ReturnRange{};
}

}  // namespace plr::report
