#include "plr/core/level.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "plr/base/random.h"

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

TEST(LevelSet, RefusesWhatCannotBeTrainedOn) {
  EXPECT_THROW(LevelSet::range(0, 0), std::invalid_argument);
  EXPECT_THROW(LevelSet::list({}), std::invalid_argument);
  EXPECT_THROW(LevelSet::list({1, 2, 1}), std::invalid_argument);
  EXPECT_THROW(LevelSet::range(0, 1ULL << 33), std::invalid_argument);
  EXPECT_THROW(LevelSet::stream(std::numeric_limits<LevelId>::max(), 2), std::invalid_argument);
  EXPECT_NO_THROW(LevelSet::stream(std::numeric_limits<LevelId>::max(), 1));
}

TEST(IdMap, EqualsTheStandardMap) {
  // Few ids, so that they are inserted and erased over and over in crowded neighbourhoods.
  Random random = Streams(1).named("test");
  IdMap map;
  std::unordered_map<std::uint64_t, std::uint64_t> expected;
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t id = random.below(300);
    if (random.below(2) == 0) {
      EXPECT_EQ(map.insert(id, i), expected.emplace(id, i).second);
    } else {
      EXPECT_EQ(map.erase(id), expected.erase(id) == 1);
    }
    const std::uint64_t other = random.below(300);
    const auto found = map.find(other);
    ASSERT_EQ(found.has_value(), expected.contains(other));
    if (found) {
      ASSERT_EQ(*found, expected.at(other));
    }
  }
  EXPECT_EQ(map.size(), expected.size());
  EXPECT_EQ(map.sorted().size(), expected.size());
}

}  // namespace
}  // namespace plr
