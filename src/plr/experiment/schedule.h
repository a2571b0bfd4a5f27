// How many runs of a plan this machine makes at a time, and with how many threads each.
//
// On the CPU one run per core, with one thread each.  On GPUs one run per GPU, or several that
// share it where CUDA MPS is available: as many as there are cores for, up to the number that was
// fastest on an H200 (docs/performance.md).  PackingSearch starts from there.
#pragma once

#include <optional>

#include "plr/experiment/packing.h"
#include "plr/experiment/plan.h"

namespace plr::experiment {

struct Machine {
  int num_cores = 1;
  int num_gpus = 0;
  bool can_share_gpus = false;
};

// The machine of this process.
Machine this_machine();

struct Schedule {
  bool on_gpu = false;
  Packing packing = {};
  int num_threads = 1;      // of libtorch, of each run
  bool is_default = false;  // the packing: others may be faster
};

// REQUIRES: the plan has a run; given numbers are at least 1 and replace the defaults.
Schedule make_schedule(const Plan& plan, const Machine& machine, std::optional<int> max_running,
                       std::optional<int> num_threads);

}  // namespace plr::experiment
