// The place of this process among the ranks of a run, as its launcher tells it by environment
// variables: torchrun, or srun of Slurm.
//
//   const Launch launch = launch_from_environment();
//   if (launch.size > 1) ...          // World::join(launch)
//
// Slurm sets variables of ranks in batch scripts too, where one process runs: only those of a job
// step count (SLURM_STEP_NUM_TASKS).
//
// Copyable.  Reads the environment; not thread-safe with setenv().
#pragma once

#include <cstdint>
#include <string>

namespace plr::distributed {

struct Launch {
  int size = 1;  // number of ranks
  int rank = 0;
  int local_rank = 0;   // among the ranks of this machine
  int local_size = 1;   // their number, if the launcher tells it
  std::string address;  // where the ranks meet
  std::uint16_t port = 0;
  bool has_agent = false;  // the launcher listens there; else rank 0 does
  int attempt = 0;         // how often the launcher has started the ranks again
};

// Throws std::invalid_argument naming a variable that is missing or has a wrong value.
Launch launch_from_environment();

// Launch::rank, also if another variable is wrong; 0 if that of the rank is.
int rank_from_environment();

}  // namespace plr::distributed
