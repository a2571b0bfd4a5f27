// Waits in a loop, for threads that expect to continue within microseconds.
//
//   Spinner spinner;
//   while (!is_ready()) spinner.pause();
//
// Spins for 10 us, then yields the core at every call.  A yield that takes long has run another
// thread: there are more of them than cores.  The spinner then sleeps after the yield, so that it
// takes no time from threads that have work.
// Copyable.  Not thread-safe.
#pragma once

#include <chrono>
#include <thread>

namespace plr {

class Spinner {
 public:
  using Clock = std::chrono::steady_clock;

  // Takes some tens of nanoseconds at first, later the time for which the core is given away.
  void pause() {
    const Clock::time_point now = Clock::now();
    if (!is_waiting_) {
      is_waiting_ = true;
      begin_ = now;
    }
    waited_ = now - begin_;
    if (waited_ < kSpin) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      return;
    }
    std::this_thread::yield();
    if (Clock::now() - now > kLongYield) std::this_thread::sleep_for(kSleep);
  }
  void reset() {
    is_waiting_ = false;
    waited_ = {};
  }
  // The time from the first pause to the last one.
  Clock::duration waited() const { return waited_; }

 private:
  static constexpr std::chrono::microseconds kSpin{10};
  static constexpr std::chrono::microseconds kLongYield{5};
  static constexpr std::chrono::microseconds kSleep{20};
  Clock::time_point begin_;
  Clock::duration waited_{};
  bool is_waiting_ = false;
};

}  // namespace plr
