#include "app/experiment_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "app/stop_wanted.h"
#include "plr/base/files.h"

namespace plr::app {
namespace {

namespace fs = std::filesystem;

// The last line that a run said.
std::string last_words(const fs::path& output) {
  const std::string text = fs::exists(output) ? read_text(output) : "";
  std::size_t end = text.find_last_not_of("\n");
  if (end == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', end);
  return text.substr(begin + 1, end - begin);
}

}  // namespace

Session::Session(std::vector<Member>& members, const fs::path& folder, int num_jobs,
                 std::vector<std::string> gpus)
    : members_(members), folder_(folder), bar_(stderr) {
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].is_finished()) {
      ++num_finished_;
      continue;
    }
    indices_.push_back(i);
    jobs.push_back({members[i].command(), output_of(members[i])});
  }
  pool_.emplace(std::move(jobs), num_jobs, std::move(gpus));
}

std::vector<std::string> Session::run() {
  listen_for_stop();
  steps_at_start_ = steps_done();
  bool is_stopping = false;
  while (!pool_->is_done()) {
    for (const Ended& ended : pool_->poll()) note(ended);
    if (is_stop_wanted() && !is_stopping) {
      bar_.say("stopping: the runs save");
      pool_->stop();
      is_stopping = true;
    }
    bar_.show(bar_state());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  if (num_finished_ == members_.size()) {
    bar_.show({.fraction = 1, .seconds_left = 0, .text = "all runs finished"});
  }
  bar_.finish();
  return failures_;
}

fs::path Session::output_of(const Member& member) const {
  return folder_ / "output" / (member.run->name + ".txt");
}

void Session::note(const Ended& ended) {
  Member& member = members_[indices_[ended.job]];
  member.state = saved_state(member.folder);
  const std::string& name = member.run->name;
  if (ended.is_good && member.is_finished()) {
    ++num_finished_;
    bar_.say(fmt::format("finished {} ({} of {})", name, num_finished_, members_.size()));
  } else if (!ended.is_good && !ended.is_stopped) {
    const fs::path output = output_of(member);
    failures_.push_back(fmt::format("{} failed ({}): {}", name, ended.how, last_words(output)));
    bar_.say(failures_.back() + "; see " + output.string());
  }
}

double Session::steps_done() const {
  double steps = 0;
  for (const Member& member : members_) {
    steps += static_cast<double>(std::min(member.steps, member.state.steps));
  }
  for (const std::size_t job : pool_->running()) {
    const Member& member = members_[indices_[job]];
    const std::int64_t logged = logged_state(member.folder).steps;
    steps += static_cast<double>(std::max<std::int64_t>(0, logged - member.state.steps));
  }
  return steps;
}

BarState Session::bar_state() {
  const auto now = std::chrono::steady_clock::now();
  if (now - measured_ > std::chrono::seconds(1)) {
    measured_ = now;
    steps_ = steps_done();
  }
  double whole = 0;
  for (const Member& member : members_) whole += static_cast<double>(member.steps);
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const double speed = std::max(0.0, steps_ - steps_at_start_) / seconds;
  std::string text = fmt::format("{} of {} runs finished, {} going on  {}/s", num_finished_,
                                 members_.size(), pool_->running().size(), short_number(speed));
  if (!failures_.empty()) text += fmt::format("  {} failed", failures_.size());
  return {.fraction = std::min(0.999, steps_ / whole),
          .seconds_left = speed > 0 ? (whole - steps_) / speed : 0,
          .text = text};
}

}  // namespace plr::app
