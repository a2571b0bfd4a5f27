// Measures the lifetime of a scope, for time breakdowns.
//
//   CollectTimes times;
//   {
//     const Stopwatch watch(times.acting);   // adds its lifetime to times.acting
//     policy.act(...);
//   }
//
// Not copyable. Not thread-safe: one stopwatch at a time adds to a total.
#pragma once

#include <chrono>

namespace plr::collect {

using Seconds = std::chrono::duration<double>;

class Stopwatch {
 public:
  explicit Stopwatch(Seconds& total) : total_(total), begin_(Clock::now()) {}
  ~Stopwatch() { total_ += Clock::now() - begin_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  Seconds& total_;
  Clock::time_point begin_;
};

// Totals since the collector was created.
struct CollectTimes {
  Seconds acting{};
  Seconds environment{};  // steps and starts
  Seconds sampler{};      // scoring, recording and drawing levels
};

}  // namespace plr::collect
