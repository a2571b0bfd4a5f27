// Which levels does "0-15,40" name?
#pragma once

#include <string_view>
#include <vector>

#include "plr/core/level.h"

namespace plr::app {

inline constexpr std::size_t kMaxListedLevels = 1000;

// Numbers and ranges with both ends, separated by commas, in the order given.  Throws
// std::invalid_argument naming `option` for anything else and for more than kMaxListedLevels.
std::vector<LevelId> parse_level_list(std::string_view option, std::string_view text);

}  // namespace plr::app
