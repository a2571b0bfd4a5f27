// The settings of a run, read from its folder.
//
//   const TrainConfig config = config_of_run("runs/first");
//
// Settings that the run's version of the program did not have get the values that they had in
// effect (kAddedSettings). Thread-safe.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plr/train/config.h"

namespace plr::train {

// Throws std::invalid_argument if there is no run in the folder or its settings are incomplete.
TrainConfig config_of_run(const std::filesystem::path& folder);

// The settings that a checkpoint stores (run::CheckpointFacts::settings): all of them, and as
// plugin_sha256 the digest of the plug-in, if there is one.
std::map<std::string, std::string> settings_to_save(const TrainConfig& config);

// A line if the plug-in of a run has changed since the checkpoint that stores these settings, else
// an empty string.
std::string plugin_note(const TrainConfig& config, const std::map<std::string, std::string>& saved);

// Compares the settings of a run with those in its checkpoint, so that a run whose config.toml was
// edited does not continue as another one. `steps`, `num_workers` and the path of the plug-in may
// differ, and settings of the computation such as the device: the result has a line for each of the
// latter, and plugin_note(). Throws std::invalid_argument with file, line and remedy for any other.
std::vector<std::string> compare_with_checkpoint(const TrainConfig& config,
                                                 const std::map<std::string, std::string>& saved,
                                                 const std::filesystem::path& folder);

}  // namespace plr::train
