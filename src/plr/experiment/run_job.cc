#include "plr/experiment/run_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "plr/train/run_settings.h"

namespace plr::experiment {

namespace fs = std::filesystem;

std::string program_path() { return fs::read_symlink("/proc/self/exe").string(); }

std::int64_t RunJob::steps_left() const {
  return is_finished() ? 0 : steps - std::min(steps, state.steps);
}

std::vector<std::string> RunJob::command(const std::string& program, int num_workers,
                                         Locking locking) const {
  std::vector<std::string> words = {program, "train"};
  if (state.has_started) {
    words.insert(words.end(), {"--resume", folder.string()});
    words.insert(words.end(), {"--steps", fmt::to_string(run->config.schedule.steps)});
    const std::string& plugin = run->config.task.plugin;
    if (!plugin.empty()) words.insert(words.end(), {"--plugin", plugin});
  } else {
    words.insert(words.end(), run->arguments.begin(), run->arguments.end());
    words.insert(words.end(), {"--out", folder.string()});
  }
  if (num_workers > 0 && run->config.env.num_workers == 0) {
    words.insert(words.end(),
                 {train::flag_of(EnvOptions::kNumWorkers.name()), fmt::to_string(num_workers)});
  }
  if (locking == Locking::kIfSupported) words.emplace_back("--no-lock");
  return words;
}

std::vector<RunJob> make_run_jobs(const Plan& plan, const fs::path& folder) {
  std::vector<RunJob> jobs;
  for (const PlannedRun& run : plan.runs) {
    RunJob& job = jobs.emplace_back();
    job.run = &run;
    job.folder = folder / run.name;
    job.state = read_saved_state(job.folder);
    const std::int64_t batch = train::steps_per_update(run.config);
    job.steps = run.config.schedule.steps / batch * batch;
    if (!job.state.has_started) continue;
    const std::string other = difference(run.config, train::config_of_run(job.folder));
    if (!other.empty()) {
      throw std::invalid_argument(
          fmt::format("{} holds another run: {}; choose another folder with --out",
                      job.folder.string(), other));
    }
  }
  return jobs;
}

}  // namespace plr::experiment
