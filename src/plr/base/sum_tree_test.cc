#include "plr/base/sum_tree.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace plr {
namespace {

constexpr auto kBySum = [](auto sum, std::size_t, std::size_t) { return sum; };

TEST(SumTree, KeepsNoErrorOfALargeValueThatIsGone) {
  // Adding and subtracting 1e20 would lose the ones: 1e20 + 1 == 1e20 in double.
  SumTree<double> tree(100);
  for (std::size_t i = 0; i < 100; ++i) tree.set(i, 1.0);
  tree.set(50, 1e20);
  tree.set(50, 1.0);
  EXPECT_EQ(tree.sum(), 100.0);
}

TEST(SumTree, DependsOnItsValuesAndNotOnTheirHistory) {
  Random random = Streams(1).named("test");
  SumTree<double> changed(1'000);
  for (int i = 0; i < 5'000; ++i) changed.set(random.below(1'000), random.uniform());
  SumTree<double> fresh(1'000);
  fresh.assign(1'000, [&](std::size_t i) { return changed[i]; });
  EXPECT_EQ(changed.sum(), fresh.sum());
}

TEST(SumTree, DrawsInProportionToTheValues) {
  SumTree<double> tree(70);  // three levels
  tree.set(3, 1.0);
  tree.set(9, 2.0);
  tree.set(69, 5.0);
  Random random = Streams(2).named("test");
  std::vector<int> counts(70, 0);
  constexpr int kDraws = 80'000;
  for (int i = 0; i < kDraws; ++i) ++counts.at(tree.draw(random, kBySum));
  // Five standard deviations, sqrt(n p (1-p)) <= 137 each.
  EXPECT_NEAR(counts[3], 10'000, 5 * 137);
  EXPECT_NEAR(counts[9], 20'000, 5 * 137);
  EXPECT_NEAR(counts[69], 50'000, 5 * 137);
  EXPECT_EQ(counts[3] + counts[9] + counts[69], kDraws);
}

TEST(SumTree, DrawsByAnyAdditiveWeight) {
  // Timestamps 1, 4, 9 at time 10: stalenesses 9, 6, 1 of 16.
  SumTree<std::uint64_t> timestamps(3);
  timestamps.set(0, 1);
  timestamps.set(1, 4);
  timestamps.set(2, 9);
  Random random = Streams(3).named("test");
  std::vector<int> counts(3, 0);
  constexpr int kDraws = 160'000;
  for (int i = 0; i < kDraws; ++i) {
    ++counts.at(timestamps.draw(random, [](std::uint64_t sum, std::size_t first, std::size_t span) {
      const std::uint64_t present = first >= 3 ? 0 : std::min<std::size_t>(span, 3 - first);
      return present * 10 - sum;
    }));
  }
  // Five standard deviations, at most sqrt(n / 4) = 200 each.
  EXPECT_NEAR(counts[0], 90'000, 1'000);
  EXPECT_NEAR(counts[1], 60'000, 1'000);
  EXPECT_NEAR(counts[2], 10'000, 1'000);
}

}  // namespace
}  // namespace plr
