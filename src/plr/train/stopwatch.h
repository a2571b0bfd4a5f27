// Where does the time go?
//
//   CollectTimes times;
//   {
//     const Stopwatch watch(times.acting);   // adds its lifetime
//     policy.act(...);
//   }
#pragma once

#include <chrono>

namespace plr::train {

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

// Since the collector was made.
struct CollectTimes {
  Seconds acting{};
  Seconds environment{};  // steps and starts
  Seconds sampler{};      // scores, records and draws
};

}  // namespace plr::train
