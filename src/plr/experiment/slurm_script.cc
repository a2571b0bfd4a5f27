#include "plr/experiment/slurm_script.h"

#include <fmt/format.h>

#include "plr/terminal/shell_word.h"

namespace plr::experiment {

using terminal::shell_word;

std::string slurm_script(const SlurmJob& job) {
  const std::filesystem::path folder = std::filesystem::absolute(job.folder);
  // sbatch splits #SBATCH lines at spaces that are not quoted.
  std::string script = fmt::format(
      "#!/bin/bash\n"
      "# {} runs, one per task of the array.  Submit with: sbatch {}\n"
      "# Submitting it again resumes the unfinished runs.\n"
      "#SBATCH --job-name={}\n"
      "#SBATCH --array=0-{}{}\n"
      "#SBATCH --output={}\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --requeue\n"
      "# Two minutes before the time limit the run saves and ends.\n"
      "#SBATCH --signal=B:TERM@120\n",
      job.num_tasks, shell_word(folder.string() + "/job.sh"), shell_word(job.name),
      job.num_tasks - 1, job.max_running > 0 ? fmt::format("%{}", job.max_running) : "",
      shell_word(folder.string() + "/output/task-%a.txt"));
  if (job.ranks_per_run > 1) script += fmt::format("#SBATCH --ntasks={}\n", job.ranks_per_run);
  for (const std::string& option : job.sbatch_options) {
    script += "#SBATCH " + shell_word(option) + "\n";
  }
  if (job.ranks_per_run > 1) {
    script +=
        "\nMASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n"
        "MASTER_PORT=$((20000 + SLURM_JOB_ID % 10000))\n"
        "export MASTER_ADDR MASTER_PORT\n";
  }
  script +=
      fmt::format("\ncd {} || exit\nexec", shell_word(std::filesystem::current_path().string()));
  for (const std::string& word : job.command) script += " " + shell_word(word);
  return script + " --threads \"${SLURM_CPUS_PER_TASK:-1}\" --task \"$SLURM_ARRAY_TASK_ID\"\n";
}

}  // namespace plr::experiment
