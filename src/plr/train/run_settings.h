// The settings of a run, read from its folder.
//
//   const TrainConfig config = config_of_run("runs/first");
//
// Settings that the run's version of the program did not have get the values that they had in
// effect (kAddedSettings). Thread-safe.
#pragma once

#include <filesystem>

#include "plr/train/config.h"

namespace plr::train {

// Throws std::invalid_argument if there is no run in the folder or its settings are incomplete.
TrainConfig config_of_run(const std::filesystem::path& folder);

}  // namespace plr::train
