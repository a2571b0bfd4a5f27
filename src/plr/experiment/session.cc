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
  std::ranges::stable_sort(indices, {},
                           [&](std::size_t i) { return jobs[i].run->config.schedule.seed; });
  return indices;
}

std::vector<PoolJob> pool_jobs(const std::vector<RunJob>& jobs, const SessionOptions& options) {
  std::vector<PoolJob> commands;
  for (const std::size_t i : unfinished(jobs)) {
    commands.push_back(
        {jobs[i].command(options.program, options.packing.num_workers, options.locking),
         output_path(options.folder, jobs[i])});
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
            {.max_running = options.packing.max_running, .gpus = std::move(options.gpus)}) {
  num_finished_ = jobs_.size() - indices_.size();
}

std::vector<std::string> Session::run(const SessionCallbacks& callbacks) {
  const auto say = [&](const std::string& line) {
    if (callbacks.message && !line.empty()) callbacks.message(line);
  };
  steps_at_start_ = measure().steps;
  bool is_stopping = false;
  while (!pool_.is_done()) {
    for (const EndedJob& ended : pool_.poll()) say(record(ended));
    if (!is_stopping && callbacks.should_stop && callbacks.should_stop()) {
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

WorkDone Session::measure() const {
  WorkDone done{.time = std::chrono::steady_clock::now()};
  const auto add = [&](const RunJob& job, std::int64_t steps) {
    done.steps += static_cast<double>(steps);
    done.updates +=
        static_cast<double>(steps) / static_cast<double>(train::steps_per_update(job.run->config));
  };
  for (const RunJob& job : jobs_) add(job, std::min(job.steps, job.state.steps));
  for (const std::size_t running : pool_.running()) {
    const RunJob& job = jobs_[indices_[running]];
    const std::int64_t since_start = read_logged_state(job.folder).steps - job.state.steps;
    ++done.num_running;
    if (since_start <= 0) continue;
    ++done.num_training;
    add(job, since_start);
  }
  return done;
}

SessionProgress Session::progress() {
  const auto now = std::chrono::steady_clock::now();
  if (now - measured_ > std::chrono::seconds(1)) {
    measured_ = now;
    done_ = measure();
  }
  double whole = 0;
  for (const RunJob& job : jobs_) whole += static_cast<double>(job.steps);
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const double speed = std::max(0.0, done_.steps - steps_at_start_) / seconds;
  return {.num_runs = jobs_.size(),
          .num_finished = num_finished_,
          .num_running = pool_.running().size(),
          .num_failed = failures_.size(),
          .fraction = std::min(0.999, done_.steps / whole),
          .done = done_,
          .steps_left = whole - done_.steps,
          .steps_per_second = speed,
          .seconds_left = speed > 0 ? (whole - done_.steps) / speed : 0};
}

}  // namespace plr::experiment
