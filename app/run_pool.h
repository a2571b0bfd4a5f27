// How do many runs share one machine?
//
// As processes, so many at a time; when one ends the next begins.  Each is in a group of its own,
// so that Ctrl-C reaches them through us: then they save and end.  If this process is killed they
// are told to end too.
//
//   RunPool pool(jobs, 2, {});
//   while (!pool.is_done()) for (const Ended& ended : pool.poll()) ...
//
// Not copied, not synchronized.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace plr::app {

struct Job {
  std::vector<std::string> command;  // the program and its arguments
  std::filesystem::path output;      // what it says is appended here
};

// A job that has ended.
struct Ended {
  std::size_t job = 0;
  bool is_good = false;
  bool is_stopped = false;  // as it was asked to, and has saved if it had begun (stop_wanted.h)
  std::string how;          // "exit code 2", "signal 9"
};

class RunPool {
 public:
  // `gpus`: names for CUDA_VISIBLE_DEVICES, given to the places in turn; empty leaves it alone.
  RunPool(std::vector<Job> jobs, int num_places, std::vector<std::string> gpus);
  RunPool(const RunPool&) = delete;
  RunPool& operator=(const RunPool&) = delete;
  // Ends what still runs.
  ~RunPool();

  // Begins what there is room for and tells what has ended since.  Throws std::runtime_error if a
  // process cannot be made.
  std::vector<Ended> poll();

  bool is_done() const;
  std::vector<std::size_t> running() const;  // jobs

  // Asks what runs to save and end, and begins nothing more.
  void stop();

 private:
  void start(std::size_t job, std::size_t place);

  std::vector<Job> jobs_;
  std::vector<std::string> gpus_;
  std::size_t next_ = 0;
  bool is_stopping_ = false;
  struct Place {
    pid_t process = 0;  // 0: free
    std::size_t job = 0;
  };
  std::vector<Place> places_;
};

// As the system's exec functions want words: valid while the texts stay, and a null pointer at the
// end.
std::vector<char*> pointers_to(std::vector<std::string>& texts);

// The GPUs of this machine that may be used, by name; none where there are none.
std::vector<std::string> usable_gpus();

}  // namespace plr::app
