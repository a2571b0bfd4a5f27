// Measures how much work is done per second.
//
//   rate(thread_seconds, 0.5, 64, [&] { play.step(); return 1; });   // steps per second
//
//   Meter meter(wall_seconds);                   // repeatedly, between other measurements
//   for (int turn = 0; turn < 6; ++turn) meter.run(0.04, [&] { return play.step(); });
//   meter.rate();                                // the median
//
// Copyable. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "plr/bench/clock.h"

namespace plr::bench {

// The element in the middle of the sorted numbers; of an even count, the larger of the two.
// REQUIRES: at least one number.
inline double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + std::ssize(numbers) / 2;
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

// Calls act() until `seconds` have passed, and returns the sum of its results per second. Reads the
// clock once per `batch` calls.
template <class Act>
double rate(Clock clock, double seconds, int batch, Act act) {
  const double begin = clock();
  double passed = 0;
  double done = 0;
  for (; passed < seconds; passed = clock() - begin) {
    for (int i = 0; i < batch; ++i) done += act();
  }
  return done / passed;
}

class Meter {
 public:
  explicit Meter(Clock clock) : clock_(clock) {}

  // Measures once. Warms up for half as long first: other measurements have replaced the contents
  // of the caches.
  template <class Act>
  void run(double seconds, Act act) {
    bench::rate(clock_, seconds / 2, kBatch, act);
    rates_.push_back(bench::rate(clock_, seconds, kBatch, act));
  }
  // The median without the first measurement, which warms up. REQUIRES: two measurements.
  double rate() const { return median({rates_.begin() + 1, rates_.end()}); }

 private:
  static constexpr int kBatch = 8;

  Clock clock_;
  std::vector<double> rates_;
};

}  // namespace plr::bench
