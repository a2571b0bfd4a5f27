// The runs of an experiment, read from a TOML file.
//
// The file gives presets or environments, methods, variants, settings to sweep over, and seeds; the
// plan has one run for every combination.
//
//   summary = "PLR with several staleness coefficients"
//   preset = "minigrid-multiroom"         # or presets = [...]; env, envs; plugin; algorithm
//   methods = ["plr"]                     # values of plr train --method
//   seeds = "1-3"
//   [settings]                            # of every run
//   steps = 1000000
//   [sweep]                               # every combination of these
//   staleness_coef = [0.1, 0.3, 1]
//   [variant.uniform]                     # named sets of settings, which replace the plain runs
//   method = "uniform"                    # preset, method, algorithm, or any setting
//
//   const Plan plan = read_plan("experiments/quick.toml", {});
//
// All settings are checked when the file is read, except that the device exists.  Plans are values;
// reading is thread-safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plr/run/settings_file.h"
#include "plr/train/config.h"

namespace plr::experiment {

struct PlannedRun {
  std::string name;                    // describes the run; unique within the plan
  std::vector<std::string> arguments;  // of plr train, without --out
  train::TrainConfig config;           // the result of these arguments
};

struct Plan {
  std::string name;  // of the file, without its extension
  std::string summary;
  std::vector<PlannedRun> runs;
};

struct PlanOptions {
  double scale = 1;     // multiplies the steps of every run, down to one update; for a rehearsal
  int num_threads = 0;  // threads of every run unless the file sets them; 0: not set
  // Of every run, in place of those of the file; neither env nor seed.
  std::vector<run::Setting> settings = {};
  // Patterns of names, such as "*-plr-s1": the plan has only the runs that match one. Empty: all.
  std::vector<std::string> only = {};
};

// Throws std::invalid_argument "FILE:LINE: what is wrong", or "FILE: ..." if no single line is
// wrong.
Plan read_plan(const std::filesystem::path& file, const PlanOptions& options);

// The first setting in which two configs differ, such as "temperature is 0.1, not 0.5"; empty if
// they are equal.  Ignores `steps`, since a run can be extended, and settings of the machine.
std::string difference(const train::TrainConfig& planned, const train::TrainConfig& found);

}  // namespace plr::experiment
