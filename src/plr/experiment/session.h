// Runs the unfinished runs of an experiment on this machine, several at a time.
//
// Each is a process of its own, so that a failure of one leaves the others alone.  What it prints
// is appended to FOLDER/output/NAME.txt.  Runs with smaller seeds start first, so that an
// experiment that is interrupted has first results of everything that it compares.
//
//   Session session(jobs, {.folder = "runs/quick", .program = program_path(), .packing = {2, 1}});
//   const std::vector<std::string> failures = session.run({});
//
// Not copyable, not thread-safe.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "plr/experiment/packing.h"
#include "plr/experiment/run_job.h"
#include "plr/experiment/run_pool.h"

namespace plr::experiment {

struct SessionOptions {
  std::filesystem::path folder;  // of the experiment
  std::string program;           // the path of plr
  Packing packing = {};
  std::vector<std::string> gpus = {};  // as PoolOptions has them
  Locking locking = Locking::kRequired;
};

struct SessionProgress {
  std::size_t num_runs = 0;
  std::size_t num_finished = 0;
  std::size_t num_running = 0;
  std::size_t num_failed = 0;
  double fraction = 0;  // of all steps; below 1 until every run has finished
  WorkDone done = {};   // measured once per second
  double steps_left = 0;
  double steps_per_second = 0;
  double seconds_left = 0;  // 0 if the speed is unknown
};

struct SessionCallbacks {
  std::function<void(const SessionProgress&)> progressed = {};  // about ten times per second
  std::function<void(const std::string&)> message = {};         // a line about an event
  std::function<bool()> should_stop = {};                       // polled as often
};

class Session {
 public:
  // Updates the states of the jobs.  REQUIRES: the jobs outlive the session.
  Session(std::vector<RunJob>& jobs, SessionOptions options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Returns a line for each run that failed.  When should_stop() returns true, the running runs
  // save and end, and no more are started.
  std::vector<std::string> run(const SessionCallbacks& callbacks);

  std::size_t num_finished() const { return num_finished_; }

 private:
  std::string record(const EndedJob& ended);
  WorkDone measure() const;
  SessionProgress progress();

  std::vector<RunJob>& jobs_;
  std::filesystem::path folder_;
  std::size_t num_finished_ = 0;
  std::vector<std::size_t> indices_;  // [job of the pool] in jobs_
  RunPool pool_;
  std::vector<std::string> failures_;
  double steps_at_start_ = 0;
  WorkDone done_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point measured_{};
};

}  // namespace plr::experiment
