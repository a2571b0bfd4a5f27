#include "app/slurm_script.h"

#include <fmt/format.h>

namespace plr::app {
namespace {

// Whatever it contains, one word for the shell.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

std::string slurm_script(const SlurmJob& job) {
  const std::filesystem::path folder = std::filesystem::absolute(job.folder);
  std::string script = fmt::format(
      "#!/bin/bash\n"
      "# {} runs, one for each task of the array.  Submit with: sbatch {}/job.sh\n"
      "# Submitted again, it goes on with what is not finished.\n"
      "#SBATCH --job-name={}\n"
      "#SBATCH --array=0-{}{}\n"
      "#SBATCH --output={}/output/task-%a.txt\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --requeue\n"
      "# Two minutes before the time limit: then the run saves and ends.\n"
      "#SBATCH --signal=B:TERM@120\n",
      job.num_tasks, folder.string(), job.name, job.num_tasks - 1,
      job.max_running > 0 ? fmt::format("%{}", job.max_running) : "", folder.string());
  for (const std::string& option : job.sbatch_options) {
    // sbatch cuts such a line at its spaces, but for those between quotes.
    const bool has_space = option.find(' ') != std::string::npos;
    script += "#SBATCH " + (has_space ? quoted(option) : option) + "\n";
  }
  script += fmt::format("\ncd {} || exit\nexec", quoted(std::filesystem::current_path().string()));
  for (const std::string& word : job.command) script += fmt::format(" {}", quoted(word));
  return script + " --threads \"${SLURM_CPUS_PER_TASK:-1}\" --task \"$SLURM_ARRAY_TASK_ID\"\n";
}

}  // namespace plr::app
