// How is an environment called where there is little room?
#pragma once

#include <string>

namespace plr {

// "DoorKey-6x6" of "minigrid/MiniGrid-DoorKey-6x6-v0", "bigfish-hard" of "procgen/bigfish-hard".
std::string short_env_name(const std::string& env);

}  // namespace plr
