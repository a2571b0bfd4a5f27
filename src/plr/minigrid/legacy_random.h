// The random numbers of gym 0.17, from which the paper's levels were generated.
//
// gym hashed the seed with SHA-512, seeded NumPy's RandomState (the Mersenne Twister MT19937) with
// eight bytes of the digest, and drew integers by masking.
//
//   LegacyRandom random(seed);
//   const int die = random.integer(1, 7);   // np_random.randint(1, 7)
//
// The state takes 2.5 KB and about 3 microseconds to seed.  Copyable: a copy continues with the
// same numbers.  Not thread-safe.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <utility>

#include "plr/minigrid/masked_draw.h"

namespace plr::minigrid {

class LegacyRandom {
 public:
  explicit LegacyRandom(std::uint64_t seed);

  // Uniform in low..high-1.  A range of one value draws nothing.
  int integer(int low, int high) {
    assert(low < high);
    return low + at_most(static_cast<std::uint32_t>(high - 1 - low));
  }

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<std::size_t>(at_most(i - 1))]);
    }
  }

  // The next word of MT19937.
  std::uint32_t next32();

 private:
  int at_most(std::uint32_t max) {
    return max == 0 ? 0 : static_cast<int>(masked_draw(max, [this] { return next32(); }));
  }

  std::array<std::uint32_t, 624> words_;  // initialized by the constructor
  std::uint32_t next_ = 0;                // the word to regenerate and return next
};

}  // namespace plr::minigrid
