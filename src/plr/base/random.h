// Where does every random number of a run come from?
//
// From a named stream of the run's one seed.  Streams of different names are independent, so that
// drawing more numbers for one purpose never changes another:
//
//   const Streams streams(seed);
//   Random levels = streams.named("levels");
//   const double u = levels.uniform();            // in [0, 1)
//   const std::uint64_t k = levels.below(200);    // 0..199, each equally likely
//
// The generator is PCG64 (O'Neill 2014: PCG XSL RR 128/64) seeded by NumPy's SeedSequence, so that
// Pcg64(SeedSequence({seed})) yields the raw numbers of numpy.random.PCG64(seed).  The numbers are
// the same with every compiler: nothing here is left to the standard library's distributions.
//
// Value types: a copy goes on with the same numbers.  Not synchronized.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace plr {

__extension__ using uint128 = unsigned __int128;

// NumPy's SeedSequence: spreads the entropy of any number of 32-bit words over a pool of four.
class SeedSequence {
 public:
  // The words as NumPy takes them: an integer seed is its base-2^32 digits, lowest first.
  explicit SeedSequence(std::span<const std::uint32_t> words);
  // One non-negative integer: a word if it fits, else two.
  explicit SeedSequence(std::uint64_t seed);

  // The first `out.size()` words of the state that seeds a generator.
  void generate(std::span<std::uint32_t> out) const;

 private:
  std::array<std::uint32_t, 4> pool_{};
};

// The bare generator: 128 bits of state, 64 bits out.
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
    const auto turn = static_cast<unsigned>(state_.state >> 122);
    return (folded >> turn) | (folded << (-turn & 63U));
  }

  const State& state() const { return state_; }

 private:
  static constexpr uint128 kMultiplier =
      (static_cast<uint128>(2549297995355413924U) << 64) + 4865540595714422341U;
  State state_;
};

// A stream of numbers in the forms that the project needs.
class Random {
 public:
  explicit Random(const Pcg64& generator) : generator_(generator) {}

  std::uint64_t bits() { return generator_(); }

  // Uniform in [0, 1): the top 53 bits, so that every value is a multiple of 2^-53.
  double uniform() { return static_cast<double>(generator_() >> 11) * 0x1.0p-53; }

  // Uniform in 0..bound-1 without bias (Lemire 2019).  bound must be positive.
  std::uint64_t below(std::uint64_t bound);

  // Every order equally likely (Fisher-Yates, from the back).
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

  // What the stream will do next, for save and load.
  const Pcg64::State& state() const { return generator_.state(); }
  void restore(const Pcg64::State& state) { generator_ = Pcg64(state); }

 private:
  Pcg64 generator_;
};

// The streams of one seed.
class Streams {
 public:
  explicit Streams(std::uint64_t seed) : seed_(seed) {}

  // The stream of this name: the same numbers at every call.
  Random named(std::string_view name) const;

  std::uint64_t seed() const { return seed_; }

 private:
  std::uint64_t seed_;
};

}  // namespace plr
