#include "plr/base/ranges.h"

#include <charconv>
#include <system_error>

namespace plr {

std::optional<std::uint64_t> parse_whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::optional<NumberRange> parse_range(std::string_view text) {
  const std::size_t hyphen = text.find('-');
  const auto first = parse_whole_number(text.substr(0, hyphen));
  const auto last =
      hyphen == std::string_view::npos ? first : parse_whole_number(text.substr(hyphen + 1));
  if (!first || !last) return std::nullopt;
  return NumberRange{*first, *last};
}

}  // namespace plr
