// Names of environments for narrow columns and file names.
#pragma once

#include <string>
#include <string_view>

namespace plr::catalog {

// "minigrid/MiniGrid-DoorKey-6x6-v0" -> "DoorKey-6x6", "procgen/bigfish-hard" -> "bigfish-hard".
// Without a known family: the part after the last slash.  Thread-safe.
std::string short_env_name(std::string_view env);

}  // namespace plr::catalog
