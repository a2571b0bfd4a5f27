// Parses lists of levels such as "0-15,40".  Thread-safe.
#pragma once

#include <string_view>
#include <vector>

#include "plr/core/level.h"

namespace plr::viewer {

inline constexpr std::size_t kMaxListedLevels = 1000;

// Numbers and inclusive ranges separated by commas, in the order given.  Throws
// std::invalid_argument with `option` for any other text and for more than kMaxListedLevels.
std::vector<LevelId> parse_level_list(std::string_view option, std::string_view text);

}  // namespace plr::viewer
