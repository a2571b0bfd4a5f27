// Waits in a loop without blocking, for threads that expect to continue within microseconds.
//
//   Spinner spinner;
//   while (!is_ready()) spinner.pause();
//
// After about 10 us it yields the core at every call, for machines with more threads than cores.
// Copyable.  Not thread-safe.
#pragma once

#include <thread>

namespace plr {

class Spinner {
 public:
  // Takes some tens of nanoseconds, or the time for which the core is yielded.
  void pause() {
    if (++num_pauses_ > kPausesBeforeYield) {
      std::this_thread::yield();
      return;
    }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  void reset() { num_pauses_ = 0; }
  int num_pauses() const { return num_pauses_; }

 private:
  static constexpr int kPausesBeforeYield = 256;
  int num_pauses_ = 0;
};

}  // namespace plr
