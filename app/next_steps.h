// What a user can do with a run when plr train ends: the files to open, the commands to type.
//
//   print("{}", next_steps(config, "runs/a"));       // plr play runs/a ..., plr eval runs/a ...
//   print("{}", resume_command(config, "runs/a"));   // plr train --resume runs/a
//
// Lists only what works for the run: files that exist, and calls of Python instead of commands if
// the environment is one of the user's Python program.  Thread-safe.
#pragma once

#include <filesystem>
#include <string>

#include "plr/train/config.h"

namespace plr::app {

// Lines, each with a newline.
std::string next_steps(const train::TrainConfig& config, const std::filesystem::path& folder);

std::string resume_command(const train::TrainConfig& config, const std::filesystem::path& folder);

}  // namespace plr::app
