// Writes pictures of a trained agent, for plr play and plr train.
#pragma once

#include <filesystem>

namespace plr::app {

// An animation of the run's agent on a level outside its training set.
void write_episode(const std::filesystem::path& run, const std::filesystem::path& gif);

}  // namespace plr::app
