// How are the runs of an experiment made on this machine?
//
// Several at a time, each as its own process; a bar shows how far all of them are together.  What
// one of them does not survive leaves the others unharmed.
//
//   Session session(members, "runs/quick", 2, {});   // two at a time, no GPU
//   const std::vector<std::string> failures = session.run();
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/experiment_member.h"
#include "app/progress_bar.h"
#include "app/run_pool.h"

namespace plr::app {

class Session {
 public:
  // The members' states are kept up to date.  `gpus` as RunPool takes them.
  Session(std::vector<Member>& members, const std::filesystem::path& folder, int num_jobs,
          std::vector<std::string> gpus);

  // Returns what failed, a line each.  The first Ctrl-C lets the runs save and ends it.
  std::vector<std::string> run();

  std::size_t num_finished() const { return num_finished_; }

 private:
  std::filesystem::path output_of(const Member& member) const;
  void note(const Ended& ended);
  double steps_done() const;
  BarState bar_state();

  std::vector<Member>& members_;
  std::filesystem::path folder_;
  ProgressBar bar_;
  std::vector<std::size_t> indices_;  // [job] of a member
  std::optional<RunPool> pool_;
  std::vector<std::string> failures_;
  std::size_t num_finished_ = 0;
  double steps_at_start_ = 0;
  double steps_ = 0;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point measured_{};
};

}  // namespace plr::app
