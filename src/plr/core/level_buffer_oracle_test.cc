// Compares the level buffer with the naive one of tests/support/naive_buffer.h.
#include <gtest/gtest.h>

#include <vector>

#include "plr/core/level_buffer.h"
#include "tests/support/chi_square.h"
#include "tests/support/naive_buffer.h"

namespace plr {
namespace {

using testing::chi_square_deviations;
using testing::NaiveBuffer;

double one_of(Random& random, std::vector<double> values) {
  return values[random.below(values.size())];
}

LevelBufferConfig random_config(Random& random) {
  return {.capacity = 1 + random.below(40),
          .staleness_coef = one_of(random, {0, 0.1, 0.3, 0.5, 1}),
          .temperature = one_of(random, {0.1, 0.3, 1, 3}),
          .prioritization = random.below(3) == 0 ? Prioritization::kTopk : Prioritization::kRank,
          .topk = 1 + random.below(50),
          .duplicate_check = random.below(2) == 0,
          .keep_unmeasured = random.below(2) == 0};
}

double random_score(Random& random, std::uint64_t kind) {
  if (random.below(10) == 0) return kUnmeasuredScore;
  switch (kind) {
    case 0:
      return 2 * random.uniform() - 1;
    case 1:
      return static_cast<double>(random.below(4)) / 4;  // many ties
    default:
      return -random.uniform();
  }
}

void expect_same(const LevelBuffer& fast, const NaiveBuffer& naive) {
  ASSERT_EQ(fast.clock(), naive.clock());
  ASSERT_EQ(fast.size(), naive.entries().size());
  const std::vector<LevelWeight> weights = fast.weights();
  const std::vector<double> expected = naive.weights();
  for (LevelBuffer::Slot slot = 0; slot < fast.size(); ++slot) {
    const LevelBuffer::Entry entry = fast.at(slot);
    const NaiveBuffer::Entry& other = naive.entries()[slot];
    ASSERT_EQ(entry.level, other.level);
    ASSERT_EQ(entry.score, other.score);
    ASSERT_EQ(entry.best_return, other.best_return);
    ASSERT_EQ(entry.timestamp, other.timestamp);
    ASSERT_NEAR(weights[slot].probability, expected[slot], 1e-12) << "slot " << slot;
  }
}

// One random insert, draw or update of both buffers.
void operate(LevelBuffer& fast, NaiveBuffer& naive, std::uint64_t kind, Random& random) {
  const std::uint64_t operation = fast.size() == 0 ? 0 : random.below(4);
  const double score = random_score(random, kind);
  const double best_return = random.uniform();
  if (operation <= 1) {
    const LevelId level = random.below(3 * fast.config().capacity);
    const auto slot = fast.insert(level, score, best_return);
    const auto expected = naive.insert(level, score, best_return);
    ASSERT_EQ(slot.has_value(), expected.has_value());
    if (slot) {
      ASSERT_EQ(*slot, *expected);
      ASSERT_GE(*fast.best_return(level), best_return);
    }
  } else if (operation == 2) {
    const auto [slot, level] = fast.draw(random);
    ASSERT_EQ(level, naive.entries()[slot].level);
    naive.choose(slot);
  } else {
    const auto slot = static_cast<LevelBuffer::Slot>(random.below(fast.size()));
    fast.update(slot, score, best_return);
    naive.update(slot, score, best_return);
  }
}

TEST(LevelBuffer, EqualsTheNaiveBufferOverAHundredThousandOperations) {
  Random random = Streams(1).named("test");
  for (int round = 0; round < 500; ++round) {
    const LevelBufferConfig config = random_config(random);
    SCOPED_TRACE("round " + std::to_string(round) + "\n" + fields_text(config));
    LevelBuffer fast(config);
    NaiveBuffer naive(config);
    for (int i = 0; i < 200; ++i) {
      SCOPED_TRACE("operation " + std::to_string(i));
      ASSERT_NO_FATAL_FAILURE(operate(fast, naive, round % 3, random));
      ASSERT_NO_FATAL_FAILURE(expect_same(fast, naive));
      if (random.below(50) == 0) {
        LevelBuffer other(config);
        other.load(fast.save());
        fast = other;
        ASSERT_NO_FATAL_FAILURE(expect_same(fast, naive));
      }
    }
  }
}

TEST(LevelBuffer, EqualsTheNaiveBufferForManyLevels) {
  // Enough slots for several nodes in the rankings and the sum tree.
  Random random = Streams(2).named("test");
  for (const double temperature : {0.3, 1.0}) {
    const LevelBufferConfig config{.capacity = 700, .temperature = temperature};
    LevelBuffer fast(config);
    NaiveBuffer naive(config);
    for (int i = 0; i < 5'000; ++i) {
      ASSERT_NO_FATAL_FAILURE(operate(fast, naive, i % 3, random)) << "operation " << i;
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(fast, naive));
  }
}

TEST(LevelBuffer, DrawsWithItsProbabilities) {
  Random random = Streams(3).named("test");
  for (int round = 0; round < 60; ++round) {
    LevelBufferConfig config = random_config(random);
    config.capacity = 40;
    LevelBuffer buffer(config);
    for (LevelId level = 0; level < 30; ++level) buffer.insert(level, random.uniform(), 0);
    for (int i = 0; i < 20; ++i) buffer.draw(random);

    constexpr int kDraws = 20'000;
    std::vector<double> expected;
    for (const LevelWeight& w : buffer.weights()) expected.push_back(kDraws * w.probability);
    std::vector<int> counts(expected.size(), 0);
    for (int i = 0; i < kDraws; ++i) {
      LevelBuffer copy = buffer;  // without the draw's own timestamp
      ++counts[copy.draw(random).slot];
    }
    EXPECT_LT(chi_square_deviations(expected, counts), 5) << fields_text(config);
  }
}

}  // namespace
}  // namespace plr
