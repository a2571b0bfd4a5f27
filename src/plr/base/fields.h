// Settings described once, at the field of their config struct.
//
//   struct TsclConfig {
//     std::int64_t window = 10;
//     static constexpr Field kWindow{&TsclConfig::window, "tscl_window", from_to(2, 1 << 20),
//                                    "K: number of recent returns whose slope is the progress"};
//     ...
//     static constexpr std::tuple kFields{kWindow, kSmoothing};
//   };
//
// The descriptions in kFields are the only source of the checks and messages here and, elsewhere,
// of flags, files, help and reference pages. A nested config is listed as Nested{&DracConfig::ucb}.
// Enumerations have functions enum_names(E) and enum_texts(E), the name and the meaning of each
// enumerator in their order.
//
// Every config is a copyable aggregate. The functions here are thread-safe.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace plr {

// The interval of the values that a number may have.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_excluded = false;
  bool high_excluded = false;

  // False for NaN and infinities.
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

// The description of one field of a config.
template <class Config, class Value>
class Field {
 public:
  // `name` is the setting's name on the command line and in files; `help` is one sentence.
  constexpr Field(Value Config::*member, std::string_view name, const Bounds& bounds,
                  std::string_view help)
      : member_(member), name_(name), bounds_(bounds), help_(help) {}
  constexpr Field(Value Config::*member, std::string_view name, std::string_view help)
      : Field(member, name, any_value(), help) {}

  // The value in the paper, or in the code that its authors released, where it is not the default.
  constexpr Field paper(Value value) const {
    Field field = *this;
    field.paper_ = value;
    return field;
  }
  constexpr Field released(Value value) const {
    Field field = *this;
    field.released_ = value;
    return field;
  }
  // Presets choose the value of this field: an algorithm without a value of its own keeps theirs.
  constexpr Field chosen_by_presets() const {
    Field field = *this;
    field.is_chosen_by_presets_ = true;
    return field;
  }

  constexpr std::string_view name() const { return name_; }
  constexpr const Bounds& bounds() const { return bounds_; }
  constexpr std::string_view help() const { return help_; }
  constexpr const std::optional<Value>& paper() const { return paper_; }
  constexpr const std::optional<Value>& released() const { return released_; }
  constexpr bool is_chosen_by_presets() const { return is_chosen_by_presets_; }
  Value default_value() const { return Config{}.*member_; }

  // Calls visit(*this, the value in `config`).
  template <class MaybeConst, class Visit>
  void visit_in(MaybeConst& config, Visit& visit) const {
    visit(*this, config.*member_);
  }

 private:
  Value Config::*member_;
  std::string_view name_;
  Bounds bounds_;
  std::string_view help_;
  std::optional<Value> paper_ = {};
  std::optional<Value> released_ = {};
  bool is_chosen_by_presets_ = false;
};

template <class Config, class Visit>
void visit_descriptions(Config&& config, Visit&& visit);

// A config that is a member of another one: its fields count as fields of the outer one.
template <class Config, class Inner>
class Nested {
 public:
  constexpr explicit Nested(Inner Config::*member) : member_(member) {}

  template <class MaybeConst, class Visit>
  void visit_in(MaybeConst& config, Visit& visit) const {
    visit_descriptions(config.*member_, visit);
  }

 private:
  Inner Config::*member_;
};

// Calls visit(field, value) for every field of a config, in the order of kFields.
template <class Config, class Visit>
void visit_descriptions(Config&& config, Visit&& visit) {
  std::apply([&](const auto&... field) { (field.visit_in(config, visit), ...); },
             std::remove_cvref_t<Config>::kFields);
}

// The same as visit(name, value, bounds, help).
template <class Config, class Visit>
void visit_fields(Config& config, Visit&& visit) {
  visit_descriptions(config, [&](const auto& field, auto& value) {
    visit(field.name(), value, field.bounds(), field.help());
  });
}

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

// The enumerator of this name. Throws std::invalid_argument with the field, the value and the
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

// Throws std::invalid_argument with the field, the value and the bounds if it is outside.
template <class Number>
void check_value(std::string_view field, Number value, const Bounds& bounds) {
  if (!bounds.contains(static_cast<double>(value))) {
    throw_out_of_bounds(field, to_text(value), bounds);
  }
}

// Throws as check_value() does for the first number of a config that is outside its bounds.
template <class Config>
void check_fields(const Config& config) {
  visit_descriptions(config, [](const auto& field, const auto& value) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) {
      check_value(field.name(), value, field.bounds());
    }
  });
}

// Parses a text into `value`; whole numbers may be written as 3e6, 1.5M or 500k. Throws
// std::invalid_argument with the field and the text.
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

// Sets the field of this name from a text and returns whether the config has it. Throws
// std::invalid_argument if the text is not such a value or is out of bounds.
template <class Config>
bool set_field(Config& config, std::string_view name, const std::string& text) {
  bool found = false;
  visit_descriptions(config, [&](const auto& field, auto& value) {
    if (field.name() != name) return;
    found = true;
    auto parsed = value;
    parse_value(name, text, parsed);
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) {
      if (!field.bounds().contains(static_cast<double>(parsed))) {
        throw_out_of_bounds(name, text, field.bounds());
      }
    }
    value = parsed;
  });
  return found;
}

// "name = value" lines, for messages and for comparing two configs field by field.
template <class Config>
std::string fields_text(const Config& config) {
  std::string text;
  visit_descriptions(config, [&](const auto& field, const auto& value) {
    text.append(field.name()).append(" = ").append(to_text(value)).append("\n");
  });
  return text;
}

// The first line in which two texts of the same fields differ, as "temperature = 0.1, not 0.5".
std::string first_difference(std::string_view expected, std::string_view found);

}  // namespace plr
