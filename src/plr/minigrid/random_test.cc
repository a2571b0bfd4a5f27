// The random numbers equal those of NumPy and of gym 0.17.

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "plr/minigrid/legacy_random.h"
#include "plr/minigrid/level_random.h"
#include "plr/minigrid/numpy_random.h"
#include "plr/minigrid/sha512.h"

namespace plr::minigrid {
namespace {

// integers(0, n) for each n.
template <class Random>
std::vector<int> below(Random& random, const std::vector<int>& bounds) {
  std::vector<int> drawn;
  for (const int bound : bounds) drawn.push_back(random.integer(0, bound));
  return drawn;
}

const std::vector<int> kBounds = {2, 3, 4, 5, 6, 7, 25, 2, 1, 14};

// numpy.random.default_rng(seed).integers(10) ten times.
TEST(NumpyRandom, DrawsTheIntegersOfNumpysGenerator) {
  const std::vector<int> tens(10, 10);
  NumpyRandom zero(0);
  EXPECT_EQ(below(zero, tens), (std::vector<int>{8, 6, 5, 2, 3, 0, 0, 0, 1, 8}));
  NumpyRandom one(1);
  EXPECT_EQ(below(one, tens), (std::vector<int>{4, 5, 7, 9, 0, 1, 8, 9, 2, 3}));
  NumpyRandom other(123);
  EXPECT_EQ(below(other, tens), (std::vector<int>{0, 6, 5, 0, 9, 2, 2, 1, 3, 1}));
}

TEST(NumpyRandom, DrawsNothingForASingleValue) {
  NumpyRandom random(7);
  EXPECT_EQ(below(random, kBounds), (std::vector<int>{1, 1, 2, 4, 3, 5, 20, 0, 0, 0}));
  // Nine draws of a half each; the tenth, from one value, used none.
  EXPECT_EQ(random.position(), (StreamPosition{.outputs = 5, .half_waiting = true}));
}

// rng = default_rng(7); rng.integers(3 << 29) a hundred times: one word in four is rejected.
TEST(NumpyRandom, RejectsTheWordsThatWouldBiasALargeRange) {
  NumpyRandom random(7);
  const std::vector<int> drawn = below(random, std::vector<int>(100, 3 << 29));
  EXPECT_EQ(drawn[0], 1006786719);
  EXPECT_EQ(drawn[1], 1101948919);
  EXPECT_EQ(drawn[98], 881250361);
  EXPECT_EQ(drawn[99], 1089499377);
  EXPECT_EQ(random.position(), (StreamPosition{.outputs = 63, .half_waiting = false}));
}

TEST(NumpyRandom, AcceptsNegativeBounds) {
  NumpyRandom plain(7);
  NumpyRandom shifted(7);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(shifted.integer(-3, 4), plain.integer(0, 7) - 3);
  }
}

// rng = default_rng(7); rng.shuffle(x); rng.choice(range(3, 9)); rng.random(); rng.integers(100)
TEST(NumpyRandom, ShufflesByMaskingAndSharesTheHalves) {
  NumpyRandom random(7);
  std::array<int, 8> items;
  std::iota(items.begin(), items.end(), 0);
  random.shuffle(std::span<int>(items));
  EXPECT_EQ(items, (std::array<int, 8>{0, 6, 7, 2, 4, 5, 1, 3}));
  EXPECT_EQ(random.integer(3, 9), 3);
  EXPECT_EQ(random.uniform(), 0.8735534453962619);
  EXPECT_EQ(random.integer(0, 100), 30);
  // 7 draws and one rejection of a half, one half, a whole output, the buffered half.
  EXPECT_EQ(random.position(), (StreamPosition{.outputs = 6, .half_waiting = false}));
}

TEST(NumpyRandom, UsesAllBitsOfALongSeed) {
  // numpy.random.PCG64(2**32 + 5).random_raw() and PCG64(1234567890123): the top 53 bits.
  EXPECT_EQ(NumpyRandom((1ULL << 32) + 5).uniform(),
            static_cast<double>(0xc6323ec321deb8d1U >> 11) * 0x1.0p-53);
  EXPECT_EQ(NumpyRandom(1234567890123U).uniform(),
            static_cast<double>(0xdcc1017a3bbe60ccU >> 11) * 0x1.0p-53);
}

// FIPS 180-4's example, and a message of 111 bytes, the longest that fits one block.
TEST(Sha512, EqualsTheExamplesOfTheStandard) {
  EXPECT_EQ(sha512("abc"),
            (std::array<std::uint64_t, 8>{
                0xddaf35a193617aba, 0xcc417349ae204131, 0x12e6fa4e89a97ea2, 0x0a9eeee64b55d39a,
                0x2192992a274fc1a8, 0x36ba3c23a3feebbd, 0x454d4423643ce80e, 0x2a9ac94fa54ca49f}));
  std::string longest;
  for (int i = 0; i < 11; ++i) longest += "0123456789";
  EXPECT_EQ(sha512(longest + "x")[0], 0x84b045dd8b6f3861U);
  EXPECT_EQ(sha512(longest + "x")[7], 0xaf19b2aeee60cecfU);
}

TEST(LegacyRandom, YieldsTheWordsOfGymsRandomState) {
  LegacyRandom zero(0);
  EXPECT_EQ(zero.next32(), 233474672U);
  EXPECT_EQ(zero.next32(), 1047681358U);
  EXPECT_EQ(zero.next32(), 4146322502U);
  LegacyRandom one(1);
  EXPECT_EQ(one.next32(), 3467715517U);
  EXPECT_EQ(one.next32(), 3833094096U);
  EXPECT_EQ(one.next32(), 2209760964U);
}

TEST(LegacyRandom, DrawsTheIntegersOfRandint) {
  LegacyRandom random(1337);
  EXPECT_EQ(below(random, kBounds), (std::vector<int>{1, 1, 0, 2, 5, 3, 13, 1, 0, 2}));
}

TEST(LegacyRandom, ContinuesAfterAllWordsAreUsed) {
  // gym's generator of seed 0: its words number 623, 624 and 1999, from 0.
  LegacyRandom random(0);
  std::vector<std::uint32_t> words(2000);
  for (std::uint32_t& word : words) word = random.next32();
  EXPECT_EQ(words[623], 1112280886U);
  EXPECT_EQ(words[624], 3284801631U);
  EXPECT_EQ(words[1999], 975789423U);
}

TEST(LevelRandom, UsesTheRequestedSeeding) {
  LevelRandom today(Seeding::kPcg64, 1337);
  LevelRandom old(Seeding::kLegacy, 1337);
  NumpyRandom numpy(1337);
  LegacyRandom gym(1337);
  EXPECT_EQ(below(today, kBounds), below(numpy, kBounds));
  EXPECT_EQ(below(old, kBounds), below(gym, kBounds));
  EXPECT_EQ(*today.numpy(), numpy);
  EXPECT_EQ(old.numpy(), nullptr);
}

TEST(LevelRandom, DrawsColorsInTheOrderOfTheirNames) {
  LevelRandom random(Seeding::kPcg64, 3);
  LevelRandom same = random;
  constexpr std::array<std::string_view, 6> kNames = {"blue",   "green", "grey",
                                                      "purple", "red",   "yellow"};
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(name_of(random.color()), kNames[static_cast<std::size_t>(same.integer(0, 6))]);
  }
}

}  // namespace
}  // namespace plr::minigrid
