#include "plr/base/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "plr/base/random.h"

namespace plr {
namespace {

std::vector<Ranking::Slot> slots_in_order(const Ranking& ranking) {
  std::vector<Ranking::Slot> slots;
  ranking.for_each([&](Ranking::Slot slot) { slots.push_back(slot); });
  return slots;
}

TEST(Ranking, PutsTheHighestScoreFirst) {
  Ranking ranking(3);
  ranking.insert(0, 0.2);
  ranking.insert(1, 0.9);
  ranking.insert(2, -0.5);
  EXPECT_EQ(slots_in_order(ranking), (std::vector<Ranking::Slot>{1, 0, 2}));
  EXPECT_EQ(ranking.slot_at(0), 1U);
  EXPECT_EQ(ranking.slot_at(2), 2U);
}

TEST(Ranking, PutsTheLowerSlotFirstAmongEqualScores) {
  Ranking ranking(3);
  ranking.insert(2, 0.5);
  ranking.insert(0, 0.5);
  ranking.insert(1, 0.5);
  EXPECT_EQ(slots_in_order(ranking), (std::vector<Ranking::Slot>{0, 1, 2}));
}

TEST(Ranking, CountsEntriesBeforeAnAbsentKey) {
  Ranking ranking(2);
  ranking.insert(4, 1.0);
  ranking.insert(5, 0.0);
  EXPECT_EQ(ranking.count_before(2.0, 0), 0U);
  EXPECT_EQ(ranking.count_before(1.0, 4), 0U);
  EXPECT_EQ(ranking.count_before(1.0, 5), 1U);
  EXPECT_EQ(ranking.count_before(0.0, 4), 1U);
  EXPECT_EQ(ranking.count_before(-1.0, 0), 2U);
}

// Compares with a std::set while growing to `size` entries, replacing some and removing all. Few
// distinct scores give many ties; a million of them give none.
void expect_equal_to_a_set(std::size_t size, std::uint64_t distinct_scores) {
  Random random = Streams(size + distinct_scores).named("test");
  Ranking ranking(size);
  using Key = std::pair<double, Ranking::Slot>;  // (-score, slot): the order of the ranking
  std::set<Key> expected;
  std::vector<double> score(size);
  std::vector<bool> present(size, false);

  const auto toggle = [&](Ranking::Slot slot) {
    if (present[slot]) {
      ranking.erase(slot, score[slot]);
      expected.erase({-score[slot], slot});
    } else {
      score[slot] = static_cast<double>(random.below(distinct_scores)) / 16 - 2;
      ranking.insert(slot, score[slot]);
      expected.insert({-score[slot], slot});
    }
    present[slot] = !present[slot];
  };
  const auto check = [&] {
    ASSERT_EQ(ranking.size(), expected.size());
    std::vector<Ranking::Slot> in_order;
    for (const auto& [score_negated, slot] : expected) in_order.push_back(slot);
    ASSERT_EQ(slots_in_order(ranking), in_order);
    for (std::size_t rank = 0; rank < in_order.size(); rank += 1 + in_order.size() / 97) {
      ASSERT_EQ(ranking.slot_at(rank), in_order[rank]);
      ASSERT_EQ(ranking.count_before(score[in_order[rank]], in_order[rank]), rank);
    }
  };

  for (Ranking::Slot slot = 0; slot < size; ++slot) toggle(slot);
  check();
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < size; ++i) toggle(static_cast<Ranking::Slot>(random.below(size)));
    check();
  }
  for (Ranking::Slot slot = 0; slot < size; ++slot) {
    if (present[slot]) toggle(slot);
    if (slot % (1 + size / 10) == 0) check();
  }
  check();
}

TEST(Ranking, EqualsASetWithManyTies) { expect_equal_to_a_set(3'000, 5); }
TEST(Ranking, EqualsASetWithoutTies) { expect_equal_to_a_set(20'000, 1'000'000'000); }
TEST(Ranking, EqualsASetWhenItFitsIntoOneLeaf) { expect_equal_to_a_set(40, 10); }

TEST(Ranking, StaysOrderedForSortedScores) {
  for (const double direction : {1.0, -1.0}) {
    Ranking ranking(10'000);
    for (Ranking::Slot slot = 0; slot < 10'000; ++slot) ranking.insert(slot, direction * slot);
    EXPECT_EQ(ranking.slot_at(0), direction > 0 ? 9'999U : 0U);
    for (Ranking::Slot slot = 0; slot < 9'999; ++slot) ranking.erase(slot, direction * slot);
    EXPECT_EQ(slots_in_order(ranking), std::vector<Ranking::Slot>{9'999});
  }
}

}  // namespace
}  // namespace plr
