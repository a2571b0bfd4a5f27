#include "plr/experiment/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "plr/base/files.h"

namespace plr::experiment {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPollInterval{100};

fs::path output_path(const fs::path& folder, const RunJob& job) {
  return folder / "output" / (job.run->name + ".txt");
}

std::vector<std::size_t> unfinished(const std::vector<RunJob>& jobs) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!jobs[i].is_finished()) indices.push_back(i);
  }
  return indices;
}

std::vector<PoolJob> pool_jobs(const std::vector<RunJob>& jobs, const SessionOptions& options) {
  std::vector<PoolJob> commands;
  for (const std::size_t i : unfinished(jobs)) {
    commands.push_back(
        {jobs[i].command(options.program, options.locking), output_path(options.folder, jobs[i])});
  }
  return commands;
}

std::string last_line(const fs::path& file) {
  std::string text;
  try {
    text = read_text(file);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  const std::size_t end = text.find_last_not_of("\n");
  if (end == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', end);
  return text.substr(begin + 1, end - begin);
}

}  // namespace

Session::Session(std::vector<RunJob>& jobs, SessionOptions options)
    : jobs_(jobs),
      folder_(options.folder),
      indices_(unfinished(jobs)),
      pool_(pool_jobs(jobs, options),
            {.max_running = options.max_running, .gpus = std::move(options.gpus)}) {
  num_finished_ = jobs_.size() - indices_.size();
}

std::vector<std::string> Session::run(const SessionCallbacks& callbacks) {
  const auto say = [&](const std::string& line) {
    if (callbacks.message && !line.empty()) callbacks.message(line);
  };
  steps_at_start_ = steps_done();
  bool is_stopping = false;
  while (!pool_.is_done()) {
    for (const EndedJob& ended : pool_.poll()) say(record(ended));
    if (!is_stopping && callbacks.should_stop && callbacks.should_stop()) {
      say("stopping: waiting for the runs to save");
      pool_.stop();
      is_stopping = true;
    }
    if (callbacks.progressed) callbacks.progressed(progress());
    std::this_thread::sleep_for(kPollInterval);
  }
  return failures_;
}

// Returns the line to print, empty for a run that stopped.
std::string Session::record(const EndedJob& ended) {
  RunJob& job = jobs_[indices_[ended.job]];
  job.state = read_saved_state(job.folder);
  const std::string& name = job.run->name;
  if (ended.succeeded && job.is_finished()) {
    ++num_finished_;
    return fmt::format("finished {} ({} of {})", name, num_finished_, jobs_.size());
  }
  if (ended.succeeded || ended.stopped) return "";
  const fs::path output = output_path(folder_, job);
  failures_.push_back(fmt::format("{} failed ({}): {}", name, ended.status, last_line(output)));
  return failures_.back() + "; see " + output.string();
}

double Session::steps_done() const {
  double steps = 0;
  for (const RunJob& job : jobs_) {
    steps += static_cast<double>(std::min(job.steps, job.state.steps));
  }
  for (const std::size_t running : pool_.running()) {
    const RunJob& job = jobs_[indices_[running]];
    const std::int64_t logged = read_logged_state(job.folder).steps;
    steps += static_cast<double>(std::max<std::int64_t>(0, logged - job.state.steps));
  }
  return steps;
}

SessionProgress Session::progress() {
  const auto now = std::chrono::steady_clock::now();
  if (now - measured_ > std::chrono::seconds(1)) {
    measured_ = now;
    steps_ = steps_done();
  }
  double whole = 0;
  for (const RunJob& job : jobs_) whole += static_cast<double>(job.steps);
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const double speed = std::max(0.0, steps_ - steps_at_start_) / seconds;
  return {.num_runs = jobs_.size(),
          .num_finished = num_finished_,
          .num_running = pool_.running().size(),
          .num_failed = failures_.size(),
          .fraction = std::min(0.999, steps_ / whole),
          .steps_per_second = speed,
          .seconds_left = speed > 0 ? (whole - steps_) / speed : 0};
}

}  // namespace plr::experiment
