// The process that owns a sampler.
//
// A forked process has a copy of every sampler: it draws the same levels as its parent, and its
// results never reach the parent. A HomeProcess detects that without a system call:
//
//   HomeProcess home;           // this process
//   home.check("LevelReplay");  // throws in a process that was forked since
//
// Copyable; a copy has the home of the original. Thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace plr::python {

class HomeProcess {
 public:
  HomeProcess();

  // Throws std::runtime_error, with the remedy, if this is another process.
  void check(std::string_view type) const;

 private:
  pid_t id_;
  std::uint64_t num_forks_;  // before the object was created, on the way to its process
};

// The message that refuses to send a sampler of this type to a worker process.
std::string worker_refusal(std::string_view type);

}  // namespace plr::python
