// Runs commands as child processes, a limited number of them at a time.
//
// When one ends the next starts.  Each has a process group of its own, so that Ctrl-C reaches only
// this process, which then calls stop().  If this process is killed its children receive SIGTERM.
//
//   RunPool pool(jobs, {.max_running = 2});
//   while (!pool.is_done()) for (const EndedJob& ended : pool.poll()) ...
//
// Not copyable, not thread-safe.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace plr::experiment {

struct PoolJob {
  std::vector<std::string> command;  // the path of a program and its arguments
  std::filesystem::path output;      // standard output and error are appended to this file
};

struct PoolOptions {
  int max_running = 1;  // at least 1
  // Values for CUDA_VISIBLE_DEVICES, assigned to the processes in rotation; empty: inherited.
  std::vector<std::string> gpus = {};
};

struct EndedJob {
  std::size_t job = 0;     // index
  bool succeeded = false;  // exit code 0
  bool stopped = false;    // on request, after saving if it had started (terminal/stop_signal.h)
  std::string status;      // "exit code 2", "signal 9"
};

class RunPool {
 public:
  RunPool(std::vector<PoolJob> jobs, PoolOptions options);
  RunPool(const RunPool&) = delete;
  RunPool& operator=(const RunPool&) = delete;
  // Stops the running processes and waits for them.
  ~RunPool();

  // Starts as many jobs as there is room for and returns those that have ended since the last
  // call.  Does not block.  Throws std::runtime_error if a process cannot be started.
  std::vector<EndedJob> poll();

  bool is_done() const;
  std::vector<std::size_t> running() const;  // indices of jobs

  // Sends SIGTERM to the running processes and starts no more.
  void stop();

 private:
  struct Process {
    pid_t id = 0;  // 0: none
    std::size_t job = 0;
  };

  void start(std::size_t job, std::size_t index);

  std::vector<PoolJob> jobs_;
  std::vector<std::string> gpus_;
  std::size_t next_ = 0;
  bool is_stopping_ = false;
  std::vector<Process> processes_;  // [max_running]
};

// The texts as a null-terminated array for exec functions.  REQUIRES: the texts outlive it.
std::vector<char*> exec_arguments(std::vector<std::string>& texts);

}  // namespace plr::experiment
