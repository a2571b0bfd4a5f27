// Clocks of measurements: functions that return seconds since a fixed moment.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <ctime>

namespace plr::bench {

using Clock = double (*)();

// CPU time of the calling thread, which other programs do not affect.
inline double thread_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Wall time.
inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace plr::bench
