// A plug-in that makes the mistake which the environment variable PLR_MISTAKE names.
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "plr/env/plugin.h"

namespace {

bool makes(std::string_view mistake) {
  const char* made = std::getenv("PLR_MISTAKE");
  return made != nullptr && mistake == made;
}

plr::Family family() {
  if (makes("error")) throw std::runtime_error("no memory");
  if (makes("other error")) throw 5;
  plr::Family bad;
  bad.name = makes("existing family") ? "maze" : makes("name") ? "my family" : "bad";
  bad.title = makes("title") ? "" : "Bad";
  bad.action_names = {"wait"};
  bad.environments = {{.name = bad.name + "/task",
                       .group = "Bad",
                       .summary = "none",
                       .width = 1,
                       .height = 1,
                       .max_steps = 1,
                       .actions = plr::ActionSpace::discrete(1)}};
  bad.make = [](std::string_view, const plr::EnvOptions&) -> std::unique_ptr<plr::VectorEnv> {
    return nullptr;
  };
  return bad;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const plr::Plugin* plr_plugin() noexcept;

extern "C" const plr::Plugin* plr_plugin() noexcept {
  static auto types = plr::plugin_types();
  static plr::Plugin plugin = {};
  types = plr::plugin_types();
  if (makes("size")) types[4].size += 8;
  plugin = {makes("version") ? plr::kPluginVersion + 1 : plr::kPluginVersion,
            makes("standard library") ? "libc++" : PLR_STANDARD_LIBRARY, types.data(),
            types.size() - (makes("types") ? 1 : 0), family};
  return makes("null") ? nullptr : &plugin;
}
