#include "plr/viewer/level_list.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <stdexcept>

namespace plr::viewer {
namespace {

// The number that the whole text is, if it is one.
std::optional<LevelId> number(std::string_view text) {
  LevelId value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(std::string_view option, std::string_view text) {
  throw std::invalid_argument(
      fmt::format("{} must be numbers and ranges like 0-15 or 3,7,20-29, not '{}'", option, text));
}

}  // namespace

std::vector<LevelId> parse_level_list(std::string_view option, std::string_view text) {
  std::vector<LevelId> levels;
  for (std::string_view rest = text; !rest.empty() || levels.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, comma);
    const std::size_t dash = part.find('-');
    const auto first = number(part.substr(0, dash));
    const auto last = dash == part.npos ? first : number(part.substr(dash + 1));
    if (!first || !last || *last < *first || comma + 1 == rest.size()) refuse(option, text);
    if (*last - *first >= kMaxListedLevels - levels.size()) {
      throw std::invalid_argument(
          fmt::format("{} must name at most {} levels, not '{}'", option, kMaxListedLevels, text));
    }
    for (LevelId level = *first;; ++level) {
      levels.push_back(level);
      if (level == *last) break;
    }
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return levels;
}

}  // namespace plr::viewer
