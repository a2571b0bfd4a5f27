#include "plr/base/fields.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace plr {
namespace {

// The number that a text such as "3e6", "1.5M" or "500k" stands for, if it is a whole one that a
// double represents exactly.
std::optional<std::int64_t> parse_short_number(const std::string& text) {
  const std::string_view suffixes = "kMG";
  const std::size_t suffix = text.empty() ? std::string::npos : suffixes.find(text.back());
  std::string number = text;
  // As an exponent: a product of 4.1 and 1e6 would be rounded.
  if (suffix != std::string::npos) {
    if (text.find_first_of("eE") != std::string::npos) return std::nullopt;
    number.pop_back();
    number += "e" + std::to_string(3 * (suffix + 1));
  }
  const char* end = number.data() + number.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(number.data(), end, value);
  constexpr double kMaxExact = 9007199254740992;  // 2^53
  if (error != std::errc() || stop != end || std::abs(value) > kMaxExact) return std::nullopt;
  if (value != std::floor(value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

template <class Number>
void parse_number(std::string_view field, const std::string& text, const char* kind,
                  Number& value) {
  if constexpr (std::is_integral_v<Number>) {
    const bool is_plain = text.find_first_not_of("-0123456789") == std::string::npos;
    const std::optional<std::int64_t> number = is_plain ? std::nullopt : parse_short_number(text);
    if (number && *number >= 0 && std::in_range<Number>(*number)) {
      value = static_cast<Number>(*number);
      return;
    }
  }
  const char* end = text.data() + text.size();
  Number parsed{};
  const auto [stop, error] = std::from_chars(text.data(), end, parsed);
  const bool is_negative = std::is_unsigned_v<Number> && text.size() > 1 && text[0] == '-' &&
                           text.find_first_not_of("0123456789", 1) == std::string::npos;
  if (is_negative || (stop == end && error == std::errc::result_out_of_range)) {
    throw std::invalid_argument(std::string(field) + " must be from " +
                                to_text(std::numeric_limits<Number>::lowest()) + " to " +
                                to_text(std::numeric_limits<Number>::max()) + ", not " + text);
  }
  if (error != std::errc() || stop != end || text.empty()) {
    throw std::invalid_argument(std::string(field) + " must be " + kind + ", not " +
                                (text.empty() ? "nothing" : text));
  }
  value = parsed;
}

}  // namespace

bool Bounds::contains(double value) const {
  if (!std::isfinite(value)) return false;
  return (high_excluded ? value < high : value <= high) &&
         (low_excluded ? value > low : value >= low);
}

std::string Bounds::text() const {
  if (std::isfinite(low) && std::isfinite(high)) {
    const std::string from =
        low_excluded ? "above " + to_text(low) + " and " : "from " + to_text(low) + " to ";
    const char* to = high_excluded ? "below " : low_excluded ? "at most " : "";
    return from + to + to_text(high);
  }
  if (std::isfinite(low)) return (low_excluded ? "above " : "at least ") + to_text(low);
  if (std::isfinite(high)) return (high_excluded ? "below " : "at most ") + to_text(high);
  return "a finite number";
}

std::string to_text(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

void parse_value(std::string_view field, const std::string& text, double& value) {
  parse_number(field, text, "a number", value);
}
void parse_value(std::string_view field, const std::string& text, std::int64_t& value) {
  parse_number(field, text, "a whole number", value);
}
void parse_value(std::string_view field, const std::string& text, std::uint64_t& value) {
  parse_number(field, text, "a whole number", value);
}
void parse_value(std::string_view field, const std::string& text, int& value) {
  parse_number(field, text, "a whole number", value);
}
void parse_value(std::string_view field, const std::string& text, bool& value) {
  if (text != "true" && text != "false") {
    throw std::invalid_argument(std::string(field) + " must be true or false, not " + text);
  }
  value = text == "true";
}

void throw_unknown_name(std::string_view field, std::string_view name, std::string_view known) {
  throw std::invalid_argument(std::string(field) + " must be one of " + std::string(known) +
                              ", not " + std::string(name));
}

void throw_out_of_bounds(std::string_view field, const std::string& value, const Bounds& bounds) {
  throw std::invalid_argument(std::string(field) + " must be " + bounds.text() + ", not " + value);
}

std::string first_difference(std::string_view expected, std::string_view found) {
  std::istringstream ours{std::string(expected)};
  std::istringstream theirs{std::string(found)};
  std::string our_line;
  std::string their_line;
  while (std::getline(ours, our_line)) {
    if (!std::getline(theirs, their_line)) return our_line + ", which is not there";
    if (our_line != their_line) {
      const std::size_t value = their_line.find(" = ");
      return our_line + ", not " +
             (value == std::string::npos ? their_line : their_line.substr(value + 3));
    }
  }
  return {};
}

}  // namespace plr
