#include "plr/run/method_name.h"

#include <string_view>

namespace plr::run {
namespace {

std::string_view value_of(const SettingTexts& settings, const char* name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string_view() : found->second;
}

bool is_on(const SettingTexts& settings, const char* name) {
  const std::string_view value = value_of(settings, name);
  return !value.empty() && value != "false" && value != "0";
}

}  // namespace

std::string curriculum_name(const SettingTexts& settings) {
  const std::string_view name = value_of(settings, "curriculum");
  if (name != "plr" || value_of(settings, "decide") != "rollout") return std::string(name);
  if (is_on(settings, "num_edits")) return "accel";
  return is_on(settings, "learn_on_new") ? "plr" : "plr-perp";
}

std::string method_name(const SettingTexts& settings) {
  std::string method;
  const auto add = [&](std::string_view part) {
    if (!method.empty()) method += '+';
    method += part;
  };
  if (is_on(settings, "drac")) {
    const std::string_view augmentation = value_of(settings, "augmentation");
    add(augmentation == "ucb" ? "ucb-drac" : "drac-" + std::string(augmentation));
  }
  if (is_on(settings, "mixreg")) add("mixreg");
  const std::string curriculum = curriculum_name(settings);
  if (curriculum != "uniform") add(curriculum);
  return method.empty() ? "uniform" : method;
}

}  // namespace plr::run
