#include "plr/core/level.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace plr {
namespace {

TEST(LevelSet, ARangeCountsFromItsFirstId) {
  const LevelSet levels = LevelSet::range(100, 3);
  EXPECT_EQ(levels.size(), 3U);
  EXPECT_EQ(levels[2], 102U);
  EXPECT_EQ(levels.index_of(102), 2U);
  EXPECT_FALSE(levels.contains(99));
  EXPECT_FALSE(levels.contains(103));
}

TEST(LevelSet, AListKeepsItsOrderAndTakes64BitIds) {
  const LevelId huge = std::numeric_limits<LevelId>::max();
  const LevelSet levels = LevelSet::list({huge, 7, 1'000'000'000'000});
  EXPECT_EQ(levels[0], huge);
  EXPECT_EQ(levels.index_of(7), 1U);
  EXPECT_FALSE(levels.contains(8));
}

TEST(LevelSet, RefusesEmptyAndInvalidSets) {
  EXPECT_THROW(LevelSet::range(0, 0), std::invalid_argument);
  EXPECT_THROW(LevelSet::list({}), std::invalid_argument);
  EXPECT_THROW(LevelSet::list({1, 2, 1}), std::invalid_argument);
  EXPECT_THROW(LevelSet::range(0, 1ULL << 33), std::invalid_argument);
  EXPECT_THROW(LevelSet::stream(std::numeric_limits<LevelId>::max(), 2), std::invalid_argument);
  EXPECT_NO_THROW(LevelSet::stream(std::numeric_limits<LevelId>::max(), 1));
}

}  // namespace
}  // namespace plr
