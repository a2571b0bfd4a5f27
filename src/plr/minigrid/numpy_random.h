// The random numbers of numpy.random.Generator(PCG64(seed)), which minigrid uses.
//
// minigrid draws integers from small ranges and shuffles short lists.  NumPy takes both from 32-bit
// halves of the 64-bit outputs, low half first; the high half is buffered for the next draw:
//
//   NumpyRandom random(seed);
//   const int die = random.integer(1, 7);       // Generator.integers(1, 7)
//   random.shuffle(std::span(items));           // Generator.shuffle(items), items a Python list
//
// Copyable: a copy continues with the same numbers.  Not thread-safe.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <utility>

#include "plr/base/random.h"
#include "plr/minigrid/masked_draw.h"

namespace plr::minigrid {

// The position of a stream.
struct StreamPosition {
  std::uint64_t outputs = 0;  // 64-bit numbers drawn from the generator
  bool half_waiting = false;  // the high half of the last one is buffered
  friend bool operator==(const StreamPosition&, const StreamPosition&) = default;
};

class NumpyRandom {
 public:
  // Cheap; assign a seeded stream before use.
  NumpyRandom() : generator_(Pcg64::State{}) {}
  explicit NumpyRandom(std::uint64_t seed) : generator_(SeedSequence(seed)) {}

  // Uniform in low..high-1.  A range of one value draws nothing.
  int integer(int low, int high) {
    assert(low < high);
    const auto range = static_cast<std::uint32_t>(high - low);
    return range == 1 ? low : low + static_cast<int>(below(range));
  }

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[at_most(static_cast<std::uint32_t>(i - 1))]);
    }
  }

  // Generator.random(): uniform in [0, 1).  Does not use the buffered half.
  double uniform() { return static_cast<double>(next64() >> 11) * 0x1.0p-53; }

  StreamPosition position() const { return {outputs_, half_waiting_ != 0}; }

  friend bool operator==(const NumpyRandom& a, const NumpyRandom& b) {
    return a.generator_.state() == b.generator_.state() && a.outputs_ == b.outputs_ &&
           a.half_waiting_ == b.half_waiting_ && a.half_ == b.half_;
  }

 private:
  std::uint64_t next64() {
    ++outputs_;
    return generator_();
  }

  std::uint32_t next32() {
    if (half_waiting_ != 0) {
      half_waiting_ = 0;
      return std::exchange(half_, 0);
    }
    const std::uint64_t both = next64();
    half_ = static_cast<std::uint32_t>(both >> 32);
    half_waiting_ = 1;
    return static_cast<std::uint32_t>(both);
  }

  // Generator.integers: Lemire's multiplication, with rejection of the few biased products.
  std::uint32_t below(std::uint32_t range) {
    std::uint64_t product = static_cast<std::uint64_t>(next32()) * range;
    if (static_cast<std::uint32_t>(product) < range) {
      const std::uint32_t threshold = -range % range;
      while (static_cast<std::uint32_t>(product) < threshold) {
        product = static_cast<std::uint64_t>(next32()) * range;
      }
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  // Generator.shuffle: the low bits, drawn again while they exceed `max`.
  std::uint32_t at_most(std::uint32_t max) {
    return masked_draw(max, [this] { return next32(); });
  }

  Pcg64 generator_;
  std::uint64_t outputs_ = 0;
  std::uint32_t half_ = 0;          // the buffered half, otherwise 0
  std::uint32_t half_waiting_ = 0;  // 0 or 1; a word, so that the object has no padding
};

}  // namespace plr::minigrid
