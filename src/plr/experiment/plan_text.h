// The text of plr experiment --dry-run: the runs of a plan, their commands and their cost.
//
// Free functions without state; thread-safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plr/experiment/run_job.h"

namespace plr::experiment {

// The mean steps per second of the plan's runs that have been logged in `folder` or in a folder
// beside it whose name begins with the plan's, such as that of a rehearsal; 0 if there are none.
double logged_speed(const Plan& plan, const std::filesystem::path& folder);

struct Cost {
  double steps_per_second = 0;  // of one run; 0: unknown
  int max_running = 1;          // runs at a time
};

// REQUIRES: `jobs` are those of the plan in `folder`.
std::string plan_text(const Plan& plan, const std::vector<RunJob>& jobs,
                      const std::filesystem::path& folder, const Cost& cost);

}  // namespace plr::experiment
