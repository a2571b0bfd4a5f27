#include "plr/report/run_axes.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plr::report {
namespace {

LogRecord record(std::int64_t update, double seconds, std::int64_t updates_of_process) {
  LogRecord record{.update = update, .steps = 100 * update, .seconds = seconds};
  record.steps_per_second = 100.0 * static_cast<double>(updates_of_process) / seconds;
  return record;
}

using Seconds = std::vector<double>;

TEST(TrainingSeconds, AreThoseOfTheProcessIfARunWasNotResumed) {
  EXPECT_EQ(training_seconds(std::vector{record(1, 2, 1), record(2, 5, 2), record(3, 6, 3)}),
            (Seconds{2, 5, 6}));
}

TEST(TrainingSeconds, ContinueOverResumes) {
  EXPECT_EQ(training_seconds(std::vector{record(1, 2, 1), record(2, 5, 2), record(3, 3, 1),
                                         record(4, 4, 2), record(5, 1, 1)}),
            (Seconds{2, 5, 8, 9, 10}));
}

TEST(TrainingSeconds, ContinueIfTheFirstUpdateOfAProcessTookLongerThanAllBefore) {
  // The clock does not go back from 5 to 7, but 7 seconds are the time of one update only.
  EXPECT_EQ(training_seconds(
                std::vector{record(1, 2, 1), record(2, 5, 2), record(3, 7, 1), record(4, 9, 2)}),
            (Seconds{2, 5, 12, 14}));
}

TEST(TrainingSeconds, AreMissingWhereTheyWereNotRecorded) {
  LogRecord missing{.update = 2, .steps = 200};
  const Seconds seconds = training_seconds(std::vector{record(1, 2, 1), missing, record(3, 6, 3)});
  EXPECT_EQ(seconds[0], 2);
  EXPECT_TRUE(std::isnan(seconds[1]));
  EXPECT_EQ(seconds[2], 6);
}

TEST(RunAxes, InterpolatePositionsBetweenRecords) {
  std::vector updates = {record(1, 2, 1), record(2, 6, 2)};
  const RunAxes axes = run_axes(updates);
  EXPECT_EQ(axes.at(Axis::kSeconds, 150), 4);
  EXPECT_EQ(axes.at(Axis::kUpdates, 200), 2);
  EXPECT_FALSE(axes.at(Axis::kSeconds, 99));
  EXPECT_FALSE(axes.at(Axis::kSeconds, 201));
}

TEST(RunAxes, CountGradientUpdatesWhereSomeRolloutsAreNotLearnedFrom) {
  std::vector updates = {record(1, 2, 1), record(2, 6, 2)};
  updates[0].gradient_updates = 0;
  updates[1].gradient_updates = 1;
  EXPECT_EQ(run_axes(updates).updates, (std::vector<double>{0, 1}));
}

TEST(RunAxes, AreUnknownIfTheLogHasNeitherUpdatesNorTime) {
  const RunAxes axes = run_axes(std::vector{LogRecord{.steps = 100}, LogRecord{.steps = 200}});
  EXPECT_TRUE(axes.updates.empty());
  EXPECT_TRUE(axes.seconds.empty());
  EXPECT_FALSE(axes.at(Axis::kSeconds, 100));
}

}  // namespace
}  // namespace plr::report
