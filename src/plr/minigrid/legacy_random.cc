#include "plr/minigrid/legacy_random.h"

#include <algorithm>
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

struct Key {
  std::array<std::uint32_t, 2> words{};
  std::uint32_t size = 1;
};

// gym.utils.seeding: the first eight bytes of the digest of the decimal seed, lowest byte first.
Key hashed(std::uint64_t seed) {
  std::array<char, 20> digits;
  const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), seed).ptr;
  const std::uint64_t first = sha512(std::string_view(digits.data(), end))[0];
  const std::uint64_t number = __builtin_bswap64(first);
  Key key;
  key.words = {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
  key.size = key.words[1] == 0 ? 1 : 2;
  return key;
}

std::uint32_t folded(std::uint32_t previous) { return previous ^ (previous >> 30); }

// MT19937's init_by_array.  The passes are chains of dependent multiplications; `previous` keeps
// the link in a register.
void mix_key(const Key& key, Words& words) {
  // Once around from 1 with the key, and over the first word again.
  std::uint32_t previous = kBeforeKey[0];
  std::uint32_t j = 0;
  for (std::size_t i = 1; i < kSize; ++i) {
    previous = (kBeforeKey[i] ^ (folded(previous) * 1664525U)) + key.words[j] + j;
    words[i] = previous;
    j = (j + 1) % key.size;
  }
  previous = (words[1] ^ (folded(previous) * 1664525U)) + key.words[j] + j;
  words[1] = previous;
  // Once around without it, from 2 to 623 and then 1.
  for (std::uint32_t i = 2; i < kSize; ++i) {
    previous = (words[i] ^ (folded(previous) * 1566083941U)) - i;
    words[i] = previous;
  }
  words[1] = (words[1] ^ (folded(previous) * 1566083941U)) - 1;
  words[0] = 0x80000000U;
}

}  // namespace

LegacyRandom::LegacyRandom(std::uint64_t seed) { mix_key(hashed(seed), words_); }

// Renews one word at a time, so that a level which needs few numbers pays for few.
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
