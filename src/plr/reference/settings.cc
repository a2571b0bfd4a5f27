#include "plr/reference/settings.h"

#include <cmath>
#include <concepts>
#include <map>
#include <type_traits>

#include "plr/train/config.h"

namespace plr::reference {
namespace {

// The values of an enumeration; empty for other types.
template <class Value>
std::vector<Choice> choices_of(const Value& value) {
  std::vector<Choice> choices;
  if constexpr (NamedEnum<Value>) {
    const auto names = enum_names(value);
    const auto texts = enum_texts(value);
    static_assert(names.size() == texts.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      choices.push_back({std::string(names[i]), std::string(texts[i])});
    }
  }
  return choices;
}

template <class Value>
std::string values_of(const Bounds& bounds) {
  if constexpr (NamedEnum<Value>) return "";
  if constexpr (std::same_as<Value, bool>) return "true or false";
  if constexpr (std::same_as<Value, std::string>) return "text";
  const std::string kind = std::integral<Value> ? "whole number" : "number";
  const bool is_bounded = std::isfinite(bounds.low) || std::isfinite(bounds.high);
  return is_bounded ? kind + ", " + bounds.text() : kind;
}

}  // namespace

std::vector<SettingGroup> setting_groups() {
  std::vector<SettingGroup> groups;
  const train::TrainConfig config;
  visit_groups(config, [&](const char* title, const auto& group) {
    std::vector<SettingText>& settings = groups.emplace_back(SettingGroup{title, {}}).settings;
    visit_descriptions(group, [&](const auto& field, const auto& value) {
      settings.push_back({.name = std::string(field.name()),
                          .default_value = to_text(value),
                          .values = values_of<std::remove_cvref_t<decltype(value)>>(field.bounds()),
                          .meaning = std::string(field.help()),
                          .paper = field.paper() ? to_text(*field.paper()) : "",
                          .released = field.released() ? to_text(*field.released()) : "",
                          .choices = choices_of(value)});
    });
  });
  return groups;
}

std::vector<PresetText> preset_texts() {
  std::vector<PresetText> presets;
  const std::map<std::string, std::string> defaults = train::values_of(train::TrainConfig{});
  for (const auto& [name, summary] : train::presets()) {
    PresetText& preset = presets.emplace_back(PresetText{name, summary, {}});
    for (const auto& [setting, value] : train::values_of(train::preset(name))) {
      if (defaults.at(setting) != value) preset.settings.emplace_back(setting, value);
    }
  }
  return presets;
}

}  // namespace plr::reference
