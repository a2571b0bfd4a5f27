#include "plr/bench/meter.h"

#include <gtest/gtest.h>

namespace plr::bench {
namespace {

double now = 0;
double test_clock() { return now; }

// Work that takes `seconds` of the test clock and counts as `done`.
auto work(double seconds, int done) {
  return [=] {
    now += seconds;
    return done;
  };
}

TEST(Median, IsTheMiddleOfTheSortedNumbers) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 4}), 4);
  EXPECT_EQ(median({9, 1, 4, 2}), 4);
}

TEST(Rate, IsTheSumOfTheResultsPerSecond) {
  // 64 slots in 0.25 s are 256 per second, whatever the duration of the measurement.
  EXPECT_EQ(rate(test_clock, 0.5, 4, work(0.25, 64)), 256);
  EXPECT_EQ(rate(test_clock, 7, 4, work(0.25, 64)), 256);
}

TEST(Rate, MeasuresUntilTheTimeHasPassedInWholeBatches) {
  int calls = 0;
  rate(test_clock, 1, 8, [&] {
    now += 0.25;
    return ++calls;
  });
  EXPECT_EQ(calls, 8);  // 4 calls take the second; a batch has 8
  calls = 0;
  rate(test_clock, 2.5, 8, [&] {
    now += 0.25;
    return ++calls;
  });
  EXPECT_EQ(calls, 16);
}

TEST(Meter, TakesTheMedianWithoutTheFirstMeasurement) {
  Meter meter(test_clock);
  for (const double seconds : {1.0, 0.25, 0.5}) meter.run(1, work(seconds, 1));
  EXPECT_EQ(meter.rate(), 4);  // of 4 and 2; with the first one, 1, the median would be 2
}

TEST(Meter, WarmsUpForHalfTheTimeBeforeEachMeasurement) {
  // The first 8 calls of a run, one batch, take 1 s each: all of the warm-up of 8 s / 2. Later ones
  // take 0.5 s.
  int call = 0;
  const auto slow_at_first = [&] {
    now += call++ < 8 ? 1 : 0.5;
    return 1;
  };
  Meter meter(test_clock);
  for (int turn = 0; turn < 2; ++turn) {
    call = 0;
    meter.run(8, slow_at_first);
  }
  EXPECT_EQ(meter.rate(), 2);
}

}  // namespace
}  // namespace plr::bench
