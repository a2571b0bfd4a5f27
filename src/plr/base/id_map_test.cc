#include "plr/base/id_map.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <unordered_map>

#include "plr/base/random.h"

namespace plr {
namespace {

TEST(IdMap, EqualsTheStandardMap) {
  // Few ids, so that they are inserted and erased many times in long runs of cells.
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
