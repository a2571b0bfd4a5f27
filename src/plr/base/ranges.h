// Parsing of whole numbers and of ranges like 100-299.
//
//   parse_range("100-299")   // {.first = 100, .last = 299}
//   parse_range("7")         // {.first = 7, .last = 7}
//   parse_range("x")         // nothing
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plr {

struct NumberRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // included

  // Such a text parses; the caller decides how to report it.
  bool is_reversed() const { return last < first; }
};

// The number that the whole text is: digits only, less than 2^64.
std::optional<std::uint64_t> parse_whole_number(std::string_view text);

// A whole number, or two of them with a hyphen between.
std::optional<NumberRange> parse_range(std::string_view text);

}  // namespace plr
