#include "plr/experiment/plan_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "plr/base/counted.h"
#include "plr/terminal/number_text.h"
#include "plr/terminal/shell_word.h"

namespace plr::experiment {
namespace {

namespace fs = std::filesystem;
using terminal::duration_text;
using terminal::short_number;

std::string job_text(const RunJob& job, double speed) {
  const std::string state = job.is_finished()       ? "finished"
                            : job.state.has_started ? "resumes"
                                                    : "new";
  // A finished run may have more steps than the file plans now.
  const std::int64_t steps = job.is_finished() ? job.state.steps : job.steps;
  std::string text = fmt::format(
      "{:<8}  {:>8} steps  {:>8}  {}\n", state, short_number(static_cast<double>(steps)),
      speed > 0 ? duration_text(static_cast<double>(job.steps_left()) / speed) : "", job.run->name);
  if (!job.is_finished()) {
    std::vector<std::string> words = job.command("plr");
    std::ranges::transform(words, words.begin(), terminal::shell_word);
    text += fmt::format("          {}\n", fmt::join(words, " "));
  }
  return text;
}

}  // namespace

double logged_speed(const Plan& plan, const fs::path& folder) {
  std::vector<double> speeds;
  std::error_code ignored;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(folder.parent_path().empty() ? "." : folder.parent_path(), ignored)) {
    if (!entry.path().filename().string().starts_with(plan.name)) continue;
    for (const PlannedRun& run : plan.runs) {
      const LoggedState logged = read_logged_state(entry.path() / run.name);
      if (logged.steps_per_second > 0) speeds.push_back(logged.steps_per_second);
    }
  }
  if (speeds.empty()) return 0;
  return std::accumulate(speeds.begin(), speeds.end(), 0.0) / static_cast<double>(speeds.size());
}

std::string plan_text(const Plan& plan, const std::vector<RunJob>& jobs, const fs::path& folder,
                      const Cost& cost) {
  const double speed = cost.steps_per_second;
  double left = 0;
  std::string text =
      fmt::format("{}{}{}\n\n", plan.name, plan.summary.empty() ? "" : ": ", plan.summary);
  for (const RunJob& job : jobs) {
    left += static_cast<double>(job.steps_left());
    text += job_text(job, speed);
  }
  text += fmt::format("\n{} in {}, {} steps left", counted(jobs.size(), "run"), folder.string(),
                      short_number(left));
  if (speed > 0) {
    text += fmt::format("; {} in total at {} steps/s, {} at a time: about {}",
                        duration_text(left / speed), short_number(speed), cost.max_running,
                        duration_text(left / speed / cost.max_running));
  } else {
    text += "; for an estimate of the time run a rehearsal (--scale 0.01) or give --speed";
  }
  return text + "\n";
}

}  // namespace plr::experiment
