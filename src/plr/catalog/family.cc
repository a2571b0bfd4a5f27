#include "plr/catalog/family.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "plr/catalog/registry.h"

namespace plr::catalog {

std::span<const Family> families() { return registry().families; }

const Family* find_family(std::string_view env) {
  const std::size_t slash = env.find('/');
  if (slash == env.npos) return nullptr;
  const std::span<const Family> all = families();
  const auto found = std::ranges::find(all, env.substr(0, slash), &Family::name);
  return found != all.end() ? &*found : nullptr;
}

bool is_installed(const Family& family) {
  if (family.files_variable.empty()) return true;
  const char* folder = std::getenv(family.files_variable.c_str());
  return folder != nullptr && std::filesystem::exists(folder);
}

std::string short_name(const Family& family, std::string_view env) {
  return family.short_name != nullptr ? family.short_name(env)
                                      : std::string(env.substr(env.rfind('/') + 1));
}

std::string report_group(const Family& family, std::string_view env) {
  return family.report_group != nullptr ? family.report_group(env) : family.title;
}

}  // namespace plr::catalog
