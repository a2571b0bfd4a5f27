#include "plr/base/random.h"

#include <vector>

namespace plr {
namespace {

// The constants and steps of NumPy's SeedSequence (numpy/random/bit_generator.pyx), after
// O'Neill's "Developing a seed_seq Alternative" (2015).
constexpr std::uint32_t kInitA = 0x43b0d7e5;
constexpr std::uint32_t kMultA = 0x931e8875;
constexpr std::uint32_t kInitB = 0x8b51f9dd;
constexpr std::uint32_t kMultB = 0x58f38ded;
constexpr std::uint32_t kMixLeft = 0xca01f9dd;
constexpr std::uint32_t kMixRight = 0x4973f715;

// Hashes one word; the constant changes with every call.
std::uint32_t hash_word(std::uint32_t value, std::uint32_t& constant) {
  value ^= constant;
  constant *= kMultA;
  value *= constant;
  return value ^ (value >> 16);
}

std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t mixed = kMixLeft * x - kMixRight * y;
  return mixed ^ (mixed >> 16);
}

}  // namespace

SeedSequence::SeedSequence(std::span<const std::uint32_t> words) {
  std::uint32_t constant = kInitA;
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    pool_[i] = hash_word(i < words.size() ? words[i] : 0, constant);
  }
  // Mixes each word of the pool into every other one, then the remaining entropy into all.
  for (std::size_t from = 0; from < pool_.size(); ++from) {
    for (std::size_t to = 0; to < pool_.size(); ++to) {
      if (from != to) pool_[to] = mix(pool_[to], hash_word(pool_[from], constant));
    }
  }
  for (std::size_t from = pool_.size(); from < words.size(); ++from) {
    for (std::uint32_t& to : pool_) to = mix(to, hash_word(words[from], constant));
  }
}

// A high word of zero mixes like a missing one, so two words serve every seed.
SeedSequence::SeedSequence(std::uint64_t seed)
    : SeedSequence(
          std::array{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}) {}

void SeedSequence::generate(std::span<std::uint32_t> out) const {
  std::uint32_t constant = kInitB;
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint32_t value = pool_[i % pool_.size()] ^ constant;
    constant *= kMultB;
    value *= constant;
    out[i] = value ^ (value >> 16);
  }
}

Pcg64::Pcg64(const SeedSequence& seed) {
  std::array<std::uint32_t, 8> words;
  seed.generate(words);
  const auto word64 = [&](int i) {
    return static_cast<std::uint64_t>(words[2 * i + 1]) << 32 | words[2 * i];
  };
  const auto word128 = [&](int i) { return static_cast<uint128>(word64(i)) << 64 | word64(i + 1); };
  state_.increment = word128(2) << 1 | 1;
  state_.state = (state_.increment + word128(0)) * kMultiplier + state_.increment;
}

std::uint64_t Random::below(std::uint64_t bound) {
  uint128 product = static_cast<uint128>(generator_()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    // Rejects the lowest 2^64 mod bound products, which would bias the result.
    const std::uint64_t threshold = -bound % bound;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = static_cast<uint128>(generator_()) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

Random Streams::named(std::string_view name) const {
  // The seed as two words, then the bytes of the name: different pairs have different words.
  std::vector<std::uint32_t> words = {static_cast<std::uint32_t>(seed_),
                                      static_cast<std::uint32_t>(seed_ >> 32)};
  for (const char c : name) words.push_back(static_cast<unsigned char>(c));
  return Random(Pcg64(SeedSequence(words)));
}

}  // namespace plr
