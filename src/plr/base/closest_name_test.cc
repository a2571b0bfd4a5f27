#include "plr/base/closest_name.h"

#include <gtest/gtest.h>

#include <vector>

namespace plr {
namespace {

const std::vector<std::string> kNames = {"envs", "levels", "MiniGrid-Empty-8x8-v0",
                                         "MiniGrid-DoorKey-8x8-v0"};

TEST(ClosestName, HasTheFewestChangedLetters) {
  EXPECT_EQ(closest_name("lvels", kNames), "levels");
  EXPECT_EQ(closest_name("MiniGrid-Empty-8x9-v0", kNames), "MiniGrid-Empty-8x8-v0");
}

TEST(ClosestName, PrefersANameThatContainsTheWord) {
  // "envs" has a smaller edit distance.
  EXPECT_EQ(closest_name("key", kNames), "MiniGrid-DoorKey-8x8-v0");
  EXPECT_EQ(closest_name("doorkay", kNames), "MiniGrid-DoorKey-8x8-v0");
}

TEST(ClosestName, IsTheShortestForAnEmptyName) { EXPECT_EQ(closest_name("", kNames), "envs"); }

}  // namespace
}  // namespace plr
