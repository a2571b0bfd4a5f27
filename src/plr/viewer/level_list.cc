#include "plr/viewer/level_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "plr/base/ranges.h"

namespace plr::viewer {
namespace {

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
    const std::optional<NumberRange> range = parse_range(part);
    if (!range || range->is_reversed() || comma + 1 == rest.size()) refuse(option, text);
    if (range->last - range->first >= kMaxListedLevels - levels.size()) {
      throw std::invalid_argument(
          fmt::format("{} must name at most {} levels, not '{}'", option, kMaxListedLevels, text));
    }
    for (LevelId i = 0; i <= range->last - range->first; ++i) levels.push_back(range->first + i);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return levels;
}

}  // namespace plr::viewer
