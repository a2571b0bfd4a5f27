// The sbatch script that runs an experiment on a Slurm cluster as an array of jobs, one per run.
//
// Slurm sends SIGTERM two minutes before the time limit; the run then saves and ends.  Submitting
// the same script again resumes the unfinished runs.  A run of several ranks is a job of several
// tasks, which the command starts by srun (app/experiment.cc); they meet on the job's first node.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace plr::experiment {

struct SlurmJob {
  std::string name;
  std::size_t num_tasks = 0;
  int max_running = 0;                      // tasks at a time; 0: no limit
  int ranks_per_run = 1;                    // processes that make a run together
  std::filesystem::path folder;             // of the experiment, on a disk that all nodes share
  std::vector<std::string> command;         // of a task, without --threads and --task
  std::vector<std::string> sbatch_options;  // such as --partition=gpu
};

// The script for FOLDER/job.sh.  Tasks run in the current directory of this process.
std::string slurm_script(const SlurmJob& job);

}  // namespace plr::experiment
