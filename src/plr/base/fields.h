// How is a setting listed once and used everywhere?
//
// Every config struct has a function visit_fields(config, visit) that calls
//
//   visit("temperature", config.temperature, above(0), "beta: the lower, the greedier");
//
// once per field.  From that one list come the checks here, and elsewhere flags, files and help.
// Enumerations give their names through enum_names(E{}), in the order of the enumerators.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace plr {

// What a number may be.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_excluded = false;
  bool high_excluded = false;

  // NaN and infinities are in no bounds.
  bool contains(double value) const;
  // "above 0", "at least 1", "from 0 to 1", "from 0 to below 1".
  std::string text() const;
};

constexpr Bounds above(double low) { return {.low = low, .low_excluded = true}; }
constexpr Bounds at_least(double low) { return {.low = low}; }
constexpr Bounds from_to(double low, double high) { return {.low = low, .high = high}; }
constexpr Bounds above_to(double low, double high) {
  return {.low = low, .high = high, .low_excluded = true};
}
constexpr Bounds from_to_below(double low, double high) {
  return {.low = low, .high = high, .high_excluded = true};
}
constexpr Bounds any_value() { return {}; }

template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) {
  enum_names(value);
};

// The shortest text that reads back as the same number.
std::string to_text(double value);
inline std::string to_text(bool value) { return value ? "true" : "false"; }
inline std::string to_text(std::integral auto value) { return std::to_string(value); }
inline std::string to_text(const std::string& value) { return value; }
template <NamedEnum E>
std::string to_text(E value) {
  return std::string(enum_names(value)[static_cast<std::size_t>(value)]);
}

[[noreturn]] void throw_unknown_name(std::string_view field, std::string_view name,
                                     std::string_view known);
[[noreturn]] void throw_out_of_bounds(std::string_view field, const std::string& value,
                                      const Bounds& bounds);

// The enumerator of this name.  Throws std::invalid_argument naming the field, the value and the
// possible names.
template <NamedEnum E>
E enum_from(std::string_view field, std::string_view name) {
  const auto& names = enum_names(E{});
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<E>(i);
    known += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw_unknown_name(field, name, known);
}

// Throws std::invalid_argument naming the field, the value and the bounds if it lies outside.
template <class Number>
void check_value(std::string_view field, Number value, const Bounds& bounds) {
  if (!bounds.contains(static_cast<double>(value))) {
    throw_out_of_bounds(field, to_text(value), bounds);
  }
}

// The same for the first number of a config that lies outside.
template <class Config>
void check_fields(const Config& config) {
  visit_fields(config, [](std::string_view name, const auto& value, const Bounds& bounds,
                          std::string_view /*help*/) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) {
      check_value(name, value, bounds);
    }
  });
}

// The value that a text stands for.  Throws std::invalid_argument naming the field and the text.
void parse_value(std::string_view field, const std::string& text, double& value);
void parse_value(std::string_view field, const std::string& text, bool& value);
void parse_value(std::string_view field, const std::string& text, std::int64_t& value);
void parse_value(std::string_view field, const std::string& text, std::uint64_t& value);
void parse_value(std::string_view field, const std::string& text, int& value);
inline void parse_value(std::string_view, const std::string& text, std::string& value) {
  value = text;
}
template <NamedEnum E>
void parse_value(std::string_view field, const std::string& text, E& value) {
  value = enum_from<E>(field, text);
}

// Sets the field of this name from a text; false if there is none.  Throws std::invalid_argument if
// the text is no such value or out of its bounds.
template <class Config>
bool set_field(Config& config, std::string_view name, const std::string& text) {
  bool found = false;
  visit_fields(config, [&](std::string_view field, auto& value, const Bounds& bounds,
                           std::string_view /*help*/) {
    if (field != name) return;
    found = true;
    auto parsed = value;
    parse_value(field, text, parsed);
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) {
      if (!bounds.contains(static_cast<double>(parsed))) throw_out_of_bounds(field, text, bounds);
    }
    value = parsed;
  });
  return found;
}

// "name = value" lines, for messages and for comparing two configs field by field.
template <class Config>
std::string fields_text(const Config& config) {
  std::string text;
  visit_fields(config,
               [&](std::string_view name, const auto& value, const Bounds&, std::string_view) {
                 text.append(name).append(" = ").append(to_text(value)).append("\n");
               });
  return text;
}

// The first line in which two texts of the same fields differ, as "temperature = 0.1, not 0.5".
std::string first_difference(std::string_view expected, std::string_view found);

}  // namespace plr
