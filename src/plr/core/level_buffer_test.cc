// The rules of the level buffer, one by one.
#include "plr/core/level_buffer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

namespace plr {
namespace {

Random stream() { return Streams(1).named("levels"); }

// A full buffer of three levels 10, 11, 12 with scores 0.1, 0.2, 0.3 and timestamps 1, 2, 3.
LevelBuffer full_buffer(LevelBufferConfig config = {}) {
  config.capacity = 3;
  LevelBuffer buffer(config);
  for (int i = 0; i < 3; ++i) buffer.insert(10 + i, 0.1 * (i + 1), 0.5);
  return buffer;
}

TEST(LevelBuffer, FillsItsSlotsInOrder) {
  LevelBuffer buffer({.capacity = 3});
  EXPECT_EQ(buffer.insert(7, -5, 0), 0U);
  EXPECT_EQ(buffer.insert(8, 2, 0), 1U);
  EXPECT_EQ(buffer.size(), 2U);
  EXPECT_EQ(buffer.clock(), 2);
  EXPECT_EQ(buffer.at(1).timestamp, 2);
}

TEST(LevelBuffer, CanReplayOnceItIsFilledEnough) {
  LevelBuffer buffer({.capacity = 4, .min_fill_ratio = 0.5});
  buffer.insert(1, 0, 0);
  EXPECT_FALSE(buffer.can_replay());
  buffer.insert(2, 0, 0);
  EXPECT_TRUE(buffer.can_replay());
  EXPECT_FALSE(LevelBuffer({.min_fill_ratio = 0}).can_replay()) << "an empty buffer";
}

TEST(LevelBuffer, ARefusedInsertMovesTheClockOnly) {
  LevelBuffer buffer = full_buffer({.staleness_coef = 0});
  EXPECT_EQ(buffer.insert(99, 0.1, 0), std::nullopt) << "a score equal to the lowest";
  EXPECT_EQ(buffer.clock(), 4);
  EXPECT_EQ(buffer.best_return(99), std::nullopt);
  EXPECT_EQ(buffer.at(0).level, 10U);
  EXPECT_EQ(buffer.insert(99, kUnmeasuredScore, 0), std::nullopt);
  EXPECT_EQ(buffer.clock(), 5);

  LevelBuffer empty({.capacity = 3});
  EXPECT_EQ(empty.insert(99, kUnmeasuredScore, 0), std::nullopt) << "into a free slot";
  EXPECT_EQ(empty.clock(), 1);
  EXPECT_EQ(empty.size(), 0U);
}

TEST(LevelBuffer, ReplacesTheSlotOfLeastWeightNotOfLeastScore) {
  // By staleness alone, the freshest level leaves although its score is the highest.
  LevelBuffer buffer = full_buffer({.staleness_coef = 1});
  EXPECT_EQ(buffer.insert(99, 0.25, 0), std::nullopt) << "not higher than the freshest level's";
  EXPECT_EQ(buffer.insert(99, 0.35, 0), 2U);
  EXPECT_EQ(buffer.at(2).timestamp, 5);
  EXPECT_EQ(buffer.best_return(12), std::nullopt);
  EXPECT_EQ(buffer.best_return(99), 0.0);
}

TEST(LevelBuffer, ReplacesTheFirstOfSlotsOfEqualWeight) {
  // Only the best of three slots has a weight.
  LevelBuffer buffer =
      full_buffer({.staleness_coef = 0, .prioritization = Prioritization::kTopk, .topk = 1});
  EXPECT_EQ(buffer.insert(99, 0.9, 0), 0U);
  EXPECT_EQ(buffer.insert(100, 0.9, 0), 1U);
}

TEST(LevelBuffer, ADuplicateIsUpdatedAndCountsAsVisited) {
  LevelBuffer buffer = full_buffer();
  EXPECT_EQ(buffer.insert(10, -3, 0.25), 0U);
  EXPECT_EQ(buffer.at(0).score, -3) << "also if it is lower";
  EXPECT_EQ(buffer.at(0).best_return, 0.25);
  EXPECT_EQ(buffer.at(0).timestamp, 4);
  EXPECT_EQ(buffer.insert(10, kUnmeasuredScore, 0.5), 0U);
  EXPECT_EQ(buffer.at(0).score, -3);
  EXPECT_EQ(buffer.at(0).timestamp, 5);
}

TEST(LevelBuffer, HoldsALevelTwiceWithoutDuplicateCheck) {
  LevelBuffer buffer({.capacity = 3, .duplicate_check = false});
  EXPECT_EQ(buffer.insert(5, 0.1, 0.5), 0U);
  EXPECT_EQ(buffer.insert(5, 0.2, 0.25), 1U);
  EXPECT_EQ(buffer.best_return(5), 0.5);
  EXPECT_EQ(buffer.best_return(6), std::nullopt);
}

TEST(LevelBuffer, AnUpdateDoesNotMoveTheClock) {
  LevelBuffer buffer = full_buffer();
  buffer.update(1, 7, 0.75);
  EXPECT_EQ(buffer.clock(), 3);
  EXPECT_EQ(buffer.at(1).timestamp, 2);
  EXPECT_EQ(buffer.at(1).score, 7);
  EXPECT_EQ(buffer.best_return(11), 0.75);
}

TEST(LevelBuffer, AnUnmeasuredUpdateKeepsTheScoreUnlessAsInJaxUed) {
  LevelBuffer buffer = full_buffer();
  buffer.update(2, kUnmeasuredScore, 0.75);
  EXPECT_DOUBLE_EQ(buffer.at(2).score, 0.3);
  EXPECT_EQ(buffer.at(2).best_return, 0.75);

  LevelBuffer jaxued = full_buffer({.staleness_coef = 0, .keep_unmeasured = false});
  jaxued.update(2, kUnmeasuredScore, 0.75);
  EXPECT_EQ(jaxued.at(2).score, kUnmeasuredScore);
  EXPECT_FALSE(jaxued.weights()[2].is_scored);
  EXPECT_EQ(jaxued.insert(99, -100, 0), 2U) << "it ranks last and leaves first";
}

TEST(LevelBuffer, ADrawnSlotIsFresh) {
  LevelBuffer buffer = full_buffer();
  Random random = stream();
  const auto [slot, level] = buffer.draw(random);
  EXPECT_EQ(level, 10 + slot);
  EXPECT_EQ(buffer.clock(), 4);
  EXPECT_EQ(buffer.weights()[slot].staleness, 0);
}

TEST(LevelBuffer, WeighsATopkOfUnmeasuredScoresEqually) {
  LevelBuffer buffer = full_buffer({.staleness_coef = 0,
                                    .prioritization = Prioritization::kTopk,
                                    .topk = 2,
                                    .keep_unmeasured = false});
  for (LevelBuffer::Slot slot = 0; slot < 3; ++slot) buffer.update(slot, kUnmeasuredScore, 0);
  EXPECT_EQ(buffer.weights()[0].probability, 0.5);
  EXPECT_EQ(buffer.weights()[1].probability, 0.5);
  EXPECT_EQ(buffer.weights()[2].probability, 0);
  Random random = stream();
  for (int i = 0; i < 20; ++i) EXPECT_LT(buffer.draw(random).slot, 2U);
}

TEST(LevelBuffer, RefusesImpossibleNumbersAndChangesNothing) {
  LevelBuffer buffer = full_buffer();
  const auto before = buffer.save();
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double score : {nan, infinity}) {
    EXPECT_THROW(buffer.insert(1, score, 0), std::invalid_argument);
    EXPECT_THROW(buffer.update(1, score, 0), std::invalid_argument);
  }
  for (const double best_return : {nan, infinity, -infinity}) {
    EXPECT_THROW(buffer.insert(1, 0, best_return), std::invalid_argument);
    EXPECT_THROW(buffer.update(1, 0, best_return), std::invalid_argument);
  }
  EXPECT_THROW(buffer.update(3, 0, 0), std::out_of_range);
  EXPECT_THROW(buffer.choose(3), std::out_of_range);
  EXPECT_THROW(buffer.at(3), std::out_of_range);
  EXPECT_EQ(buffer.save(), before);
}

TEST(LevelBuffer, RefusesSettingsOutOfBounds) {
  EXPECT_THROW(LevelBuffer({.capacity = 0}), std::invalid_argument);
  EXPECT_THROW(LevelBuffer({.staleness_coef = 1.5}), std::invalid_argument);
  EXPECT_THROW(LevelBuffer({.temperature = 0}), std::invalid_argument);
  EXPECT_THROW(LevelBuffer({.topk = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace plr
