// Which runs make an experiment?
//
// A file names them: every combination of presets or environments, methods, variants, settings to
// sweep over, and seeds.
//
//   summary = "PLR with several staleness coefficients"
//   preset = "minigrid-multiroom"         # or presets = [...]; env, envs; algorithm
//   methods = ["plr"]                     # as plr train --method
//   seeds = "1-3"
//   [settings]                            # of every run
//   steps = 1000000
//   [sweep]                               # every combination of these
//   staleness_coef = [0.1, 0.3, 1]
//   [variant.uniform]                     # or sets of settings by name; instead of the plain runs
//   method = "uniform"                    # preset, method, algorithm, or any setting
//
// Every run is checked before any begins, as far as that can be done without its device:
//
//   const Experiment experiment = read_experiment("experiments/quick.toml", {});
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plr/train/config.h"

namespace plr::train {

struct PlannedRun {
  std::string name;                    // telling, and different from all others of the experiment
  std::vector<std::string> arguments;  // of plr train, but for --out
  TrainConfig config;                  // what they come to
};

struct Experiment {
  std::string name;  // of the file, without its ending
  std::string summary;
  std::vector<PlannedRun> runs;
};

struct ExperimentOptions {
  double scale = 1;     // of every run's steps, for a rehearsal; at least one update remains
  int num_threads = 0;  // of every run, and workers, unless the file says; 0: as plr train has it
};

// Throws std::invalid_argument naming the file and what is wrong in it.
Experiment read_experiment(const std::filesystem::path& file, const ExperimentOptions& options);

// A setting in which two configs differ, machines apart, as "temperature is 0.1, not 0.5";
// empty if there is none.  `steps` are left out: a run can be made longer.
std::string difference(const TrainConfig& planned, const TrainConfig& found);

}  // namespace plr::train
