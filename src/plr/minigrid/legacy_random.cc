#include "plr/minigrid/legacy_random.h"

#include <charconv>
#include <string_view>

#include "plr/minigrid/sha512.h"

namespace plr::minigrid {
namespace {

constexpr std::size_t kSize = 624;
using Words = std::array<std::uint32_t, kSize>;

// MT19937's init_genrand: the same for all seeds, since keys are mixed into that of 19650218.
constexpr Words kBeforeKey = [] {
  Words words{};
  words[0] = 19650218;
  for (std::uint32_t i = 1; i < kSize; ++i) {
    words[i] = 1812433253U * (words[i - 1] ^ (words[i - 1] >> 30)) + i;
  }
  return words;
}();

// The numbers that init_by_array adds to odd and to even words: the key's word plus its index.
using Key = std::array<std::uint32_t, 2>;

// gym.utils.seeding: the first eight bytes of the digest of the decimal seed, lowest byte first.
Key hashed(std::uint64_t seed) {
  std::array<char, 20> digits;
  const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), seed).ptr;
  const std::uint64_t first = sha512(std::string_view(digits.data(), end))[0];
  const std::uint64_t number = __builtin_bswap64(first);
  const auto low = static_cast<std::uint32_t>(number);
  const auto high = static_cast<std::uint32_t>(number >> 32);
  // A number that fits into one word is a key of one word.
  return high == 0 ? Key{low, low} : Key{low, high + 1};
}

std::uint32_t mixed(std::uint32_t word, std::uint32_t previous, std::uint32_t multiplier) {
  return word ^ ((previous ^ (previous >> 30)) * multiplier);
}

// MT19937's init_by_array: two rounds, each a chain of dependent multiplications that dominates the
// time of seeding.
void mix_key(const Key& key, Words& words) {
  // Words 1 to 623 with the key, and 1 again.
  std::uint32_t previous = kBeforeKey[0];
  for (std::size_t i = 1; i < kSize; ++i) {
    words[i] = previous = mixed(kBeforeKey[i], previous, 1664525U) + key[(i - 1) % 2];
  }
  words[1] = previous = mixed(words[1], previous, 1664525U) + key[(kSize - 1) % 2];
  // Words 2 to 623 without it, and 1 again.
  for (std::uint32_t i = 2; i < kSize; ++i) {
    words[i] = previous = mixed(words[i], previous, 1566083941U) - i;
  }
  words[1] = mixed(words[1], previous, 1566083941U) - 1;
  words[0] = 0x80000000U;
}

}  // namespace

LegacyRandom::LegacyRandom(std::uint64_t seed) { mix_key(hashed(seed), words_); }

// Regenerates one word at a time, so that the cost is proportional to the numbers drawn.
std::uint32_t LegacyRandom::next32() {
  const std::uint32_t here = next_;
  next_ = here + 1 == kSize ? 0 : here + 1;
  const std::uint32_t far = here + 397 < kSize ? here + 397 : here + 397 - kSize;
  const std::uint32_t joined = (words_[here] & 0x80000000U) | (words_[next_] & 0x7fffffffU);
  std::uint32_t value = words_[far] ^ (joined >> 1) ^ ((joined & 1) != 0 ? 0x9908b0dfU : 0);
  words_[here] = value;
  value ^= value >> 11;
  value ^= (value << 7) & 0x9d2c5680U;
  value ^= (value << 15) & 0xefc60000U;
  return value ^ (value >> 18);
}

}  // namespace plr::minigrid
