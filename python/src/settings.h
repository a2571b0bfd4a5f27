// Conversion between keyword arguments, settings and dicts.
//
// Uses the list of fields of each config (base/fields.h). Values are converted through their text,
// like those of the command line, so that an invalid value gives the same message.
//
//   LevelReplayConfig config;
//   set_fields(settings, config);             // temperature=0.5, transform="rank"
//   nb::dict all = settings_of(config);       // {"transform": "rank", "temperature": 0.5, ...}
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "plr/base/closest_name.h"
#include "plr/base/fields.h"

namespace plr::python {

namespace nb = nanobind;

// Returns a number, bool or string as text. Raises TypeError naming the setting for anything else.
std::string setting_text(std::string_view name, nb::handle value);

// Converts a non-negative integer, such as a seed, with the messages of the command line.
std::uint64_t whole_number(std::string_view name, nb::handle value);

// Throws std::invalid_argument for an unknown name, with the closest known one, and for an invalid
// value.
template <class Config>
void set_fields(const nb::kwargs& settings, Config& config) {
  for (const auto [key, value] : settings) {
    const auto name = nb::cast<std::string>(key);
    if (set_field(config, name, setting_text(name, value))) continue;
    std::vector<std::string> names;
    visit_fields(config, [&](std::string_view field, auto&&...) { names.emplace_back(field); });
    throw std::invalid_argument("unknown setting '" + name + "'; did you mean " +
                                closest_name(name, names) + "?");
  }
}

template <class Config>
nb::dict settings_of(const Config& config) {
  nb::dict settings;
  visit_fields(config, [&](std::string_view name, const auto& value, const Bounds&,
                           std::string_view /*help*/) {
    if constexpr (NamedEnum<std::remove_cvref_t<decltype(value)>>) {
      settings[nb::cast(name)] = to_text(value);
    } else {
      settings[nb::cast(name)] = value;
    }
  });
  return settings;
}

// Lines "NAME = DEFAULT: help" for docstrings.
template <class Config>
std::string settings_help() {
  std::string text = "Settings:\n";
  const Config defaults;
  visit_fields(defaults,
               [&](std::string_view name, const auto& value, const Bounds&, std::string_view help) {
                 text.append("    ").append(name).append(" = ").append(to_text(value));
                 text.append(": ").append(help).append("\n");
               });
  return text;
}

}  // namespace plr::python
