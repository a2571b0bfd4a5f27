// Random numbers: named streams of a run's seed.
//
//   const Streams streams(seed);
//   Random levels = streams.named("levels");
//   const double u = levels.uniform();            // in [0, 1)
//   const std::uint64_t k = levels.below(200);    // 0..199, each equally likely
//
// Streams of different names are independent: drawing more numbers from one does not change
// another. The generator is PCG64 (O'Neill 2014: PCG XSL RR 128/64) seeded by NumPy's SeedSequence:
// Pcg64(SeedSequence({seed})) yields the raw numbers of numpy.random.PCG64(seed). The numbers do
// not depend on the compiler, since the standard library's distributions are not used.
//
// Copyable; a copy continues with the same numbers. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace plr {

__extension__ using uint128 = unsigned __int128;

// NumPy's SeedSequence: mixes any number of 32-bit words into a pool of four.
class SeedSequence {
 public:
  // Words in NumPy's order: the base-2^32 digits of an integer seed, lowest first.
  explicit SeedSequence(std::span<const std::uint32_t> words);
  // One integer: one word if it fits, else two.
  explicit SeedSequence(std::uint64_t seed);

  // Fills `out` with the first words of the state that seeds a generator.
  void generate(std::span<std::uint32_t> out) const;

 private:
  std::array<std::uint32_t, 4> pool_{};
};

// The generator: 128 bits of state, 64 bits of output.
class Pcg64 {
 public:
  struct State {
    uint128 state = 0;
    uint128 increment = 1;  // odd
    friend bool operator==(const State&, const State&) = default;
  };

  explicit Pcg64(const SeedSequence& seed);
  explicit Pcg64(const State& state) : state_(state) {}

  std::uint64_t operator()() {
    state_.state = state_.state * kMultiplier + state_.increment;
    const auto folded =
        static_cast<std::uint64_t>(state_.state >> 64) ^ static_cast<std::uint64_t>(state_.state);
    const auto rotation = static_cast<unsigned>(state_.state >> 122);
    return (folded >> rotation) | (folded << (-rotation & 63U));
  }

  const State& state() const { return state_; }

 private:
  static constexpr uint128 kMultiplier =
      (static_cast<uint128>(2549297995355413924U) << 64) + 4865540595714422341U;
  State state_;
};

// A stream of random numbers.
class Random {
 public:
  explicit Random(const Pcg64& generator) : generator_(generator) {}

  std::uint64_t bits() { return generator_(); }

  // Uniform in [0, 1): the top 53 bits, a multiple of 2^-53.
  double uniform() { return static_cast<double>(generator_() >> 11) * 0x1.0p-53; }

  // Uniform in 0..bound-1 without bias (Lemire 2019). REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound);

  // A uniformly random permutation (Fisher-Yates, from the back).
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

  // The state that determines all following numbers, for save and load.
  const Pcg64::State& state() const { return generator_.state(); }
  void restore(const Pcg64::State& state) { generator_ = Pcg64(state); }

 private:
  Pcg64 generator_;
};

// The streams of one seed.
class Streams {
 public:
  explicit Streams(std::uint64_t seed) : seed_(seed) {}

  // The stream of this name, from its start at every call.
  Random named(std::string_view name) const;

 private:
  std::uint64_t seed_;
};

}  // namespace plr
