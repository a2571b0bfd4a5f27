#include "plr/catalog/family.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "plr/maze/family.h"
#include "plr/minigrid/family.h"
#include "plr/procgen/family.h"

namespace plr::catalog {

std::span<const Family> families() {
  static const std::array all = {
      minigrid::family(),
      procgen::family(),
      maze::family(),
  };
  return all;
}

const Family* find_family(std::string_view env) {
  const std::size_t slash = env.find('/');
  if (slash == env.npos) return nullptr;
  const auto found = std::ranges::find(families(), env.substr(0, slash), &Family::name);
  return found != families().end() ? &*found : nullptr;
}

bool is_installed(const Family& family) {
  if (family.files_variable.empty()) return true;
  const char* folder = std::getenv(family.files_variable.c_str());
  return folder != nullptr && std::filesystem::exists(folder);
}

}  // namespace plr::catalog
