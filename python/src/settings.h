// Conversion between keyword arguments, settings and dicts.
//
// Uses the list of fields of each config (base/fields.h). Values are converted through their text,
// like those of the command line, so that an invalid value gives the same message.
//
//   LevelReplayConfig config;
//   set_fields(settings, config);             // temperature=0.5, transform="rank"
//   nb::dict all = settings_of(config);       // {"transform": "rank", "temperature": 0.5, ...}
//   init_signature<LevelReplayConfig>("seed: int = 1")   // with the name, type and default of each
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "plr/base/closest_name.h"
#include "plr/base/fields.h"

namespace plr::python {

namespace nb = nanobind;

// Returns a number, bool or string as text. Raises TypeError naming the setting for anything else.
std::string setting_text(std::string_view name, nb::handle value);

// Converts a non-negative integer, such as a seed, with the messages of the command line.
std::uint64_t whole_number(std::string_view name, nb::handle value);

// Sets the fields of one or more configs. Throws std::invalid_argument for an unknown name, with
// the closest known one, and for a value that the setting cannot have.
template <class... Configs>
void set_fields(const nb::kwargs& settings, Configs&... configs) {
  for (const auto [key, value] : settings) {
    const auto name = nb::cast<std::string>(key);
    const std::string text = setting_text(name, value);
    if ((set_field(configs, name, text) || ...)) continue;
    std::vector<std::string> names;
    const auto add_name = [&](std::string_view field, auto&&...) { names.emplace_back(field); };
    (visit_fields(configs, add_name), ...);
    throw std::invalid_argument("unknown setting '" + name + "'; did you mean " +
                                closest_name(name, names) + "?");
  }
}

// The settings of one or more configs, as {"transform": "rank", "temperature": 0.5, ...}.
template <class... Configs>
nb::dict settings_of(const Configs&... configs) {
  nb::dict settings;
  const auto add = [&](std::string_view name, const auto& value, auto&&...) {
    if constexpr (NamedEnum<std::remove_cvref_t<decltype(value)>>) {
      settings[nb::cast(name)] = to_text(value);
    } else {
      settings[nb::cast(name)] = value;
    }
  };
  (visit_fields(configs, add), ...);
  return settings;
}

// The type and default of a setting in a Python signature, e.g. "float = 0.5".
template <class Value>
std::string signature_of(const Value& value) {
  if constexpr (NamedEnum<Value>) {
    std::string names;
    for (const std::string_view name : enum_names(value)) {
      names.append(names.empty() ? "'" : ", '").append(name).append("'");
    }
    return "typing.Literal[" + names + "] = '" + to_text(value) + "'";
  } else if constexpr (std::is_same_v<Value, bool>) {
    return value ? "bool = True" : "bool = False";
  } else if constexpr (std::is_floating_point_v<Value>) {
    return "float = " + to_text(value);
  } else if constexpr (std::is_integral_v<Value>) {
    return "int = " + to_text(value);
  } else {
    return "str = '" + to_text(value) + "'";
  }
}

// The signature of a constructor: its arguments and then these settings by keyword, without the
// setting `hidden`. Type checkers and editors know the settings by it.
template <class... Configs>
std::string init_signature(std::string_view arguments, std::string_view hidden = "") {
  std::string text = "def __init__(self, ";
  text.append(arguments);
  const auto add = [&](std::string_view name, const auto& value, auto&&...) {
    if (name != hidden) text.append(", ").append(name).append(": ").append(signature_of(value));
  };
  const std::tuple<Configs...> defaults;
  std::apply([&](const auto&... configs) { (visit_fields(configs, add), ...); }, defaults);
  return text + ") -> None";
}

// "NAME = DEFAULT: help" lines for the docstring of a class that takes these settings.
template <class... Configs>
std::string settings_help() {
  std::string text = "Settings:\n";
  const auto add = [&](std::string_view name, const auto& value, const Bounds&,
                       std::string_view help) {
    text.append("    ").append(name).append(" = ").append(to_text(value));
    text.append(": ").append(help).append("\n");
  };
  const std::tuple<Configs...> defaults;
  std::apply([&](const auto&... configs) { (visit_fields(configs, add), ...); }, defaults);
  return text;
}

}  // namespace plr::python
