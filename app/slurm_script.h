// How does an experiment get onto a cluster?
//
// As an array of jobs, each of which is one run: a script for sbatch.  A task that is cut off by
// its time limit saves before, and goes on where it was when the same script is submitted again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace plr::app {

struct SlurmJob {
  std::string name;
  std::size_t num_tasks = 0;
  int max_running = 0;                      // at a time; 0: as many as the cluster has room for
  std::filesystem::path folder;             // of the experiment, on a disk that all nodes see
  std::vector<std::string> command;         // of a task, but for its number
  std::vector<std::string> sbatch_options;  // as --partition=gpu
};

std::string slurm_script(const SlurmJob& job);

}  // namespace plr::app
