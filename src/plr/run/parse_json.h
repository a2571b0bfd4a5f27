// Parses JSON of files that another person may have written.
//
//   const nlohmann::json record = parse_json(line);
//   if (record.is_discarded()) ...
//
// Copying, comparing and printing a value recurse, so that a text of a million brackets would
// overflow the stack. Values are therefore limited to kMaxJsonDepth. Thread-safe.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

namespace plr::run {

inline constexpr int kMaxJsonDepth = 64;

// A discarded value if the text is not JSON or is nested deeper than kMaxJsonDepth.
nlohmann::json parse_json(std::string_view text);

// The value as T; nothing if it is not a whole number within T's range. json.get<T>() would convert
// any number, also one that T cannot represent.
template <std::integral T>
std::optional<T> whole_number(const nlohmann::json& json) {
  const auto fitting = [](auto number) -> std::optional<T> {
    return std::in_range<T>(number) ? std::optional(static_cast<T>(number)) : std::nullopt;
  };
  if (json.is_number_unsigned()) return fitting(json.get<std::uint64_t>());
  if (json.is_number_integer()) return fitting(json.get<std::int64_t>());
  if (!json.is_number_float()) return std::nullopt;
  constexpr double kLargestExact = 0x1p53;
  const auto number = json.get<double>();
  if (!(std::abs(number) <= kLargestExact) || number != std::floor(number)) return std::nullopt;
  return fitting(static_cast<std::int64_t>(number));
}

}  // namespace plr::run
