// One run of an experiment: its folder, its progress, and the command that starts or resumes it.
//
//   const std::vector<RunJob> jobs = make_run_jobs(plan, "runs/quick");
//   if (!jobs[0].is_finished()) exec(jobs[0].command(program_path(), 4));
//
// A value type that refers to its plan; not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "plr/base/open_file.h"
#include "plr/experiment/plan.h"
#include "plr/experiment/run_state.h"

namespace plr::experiment {

struct RunJob {
  const PlannedRun* run = nullptr;
  std::filesystem::path folder;
  RunState state;
  std::int64_t steps = 0;  // of the whole run, in whole updates

  bool is_finished() const { return state.is_finished && state.steps >= steps; }
  std::int64_t steps_left() const;
  // `program` with the arguments that start the run, or resume it if it has started.
  // `num_workers` is used unless it is 0 or the plan sets it.
  std::vector<std::string> command(const std::string& program, int num_workers = 0,
                                   Locking locking = Locking::kRequired) const;
};

// The jobs of a plan with their runs in subfolders of `folder`.  REQUIRES: the plan outlives them.
// Throws std::invalid_argument if a subfolder holds a run with other settings.
std::vector<RunJob> make_run_jobs(const Plan& plan, const std::filesystem::path& folder);

// The path of the program that this process runs.
std::string program_path();

}  // namespace plr::experiment
