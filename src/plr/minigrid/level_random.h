// Where do a level's random choices come from?
//
// From the stream of its 64-bit seed, in one of two dialects: that of gymnasium and today's
// minigrid, or that of gym 0.17, which the paper's runs used.  Generators draw through this class
// and do not know which:
//
//   LevelRandom random(Seeding::kPcg64, seed);
//   const Color color = random.color();
//
// A value type: a copy goes on with the same numbers.  Not synchronized.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <variant>

#include "plr/minigrid/grid.h"
#include "plr/minigrid/legacy_random.h"
#include "plr/minigrid/numpy_random.h"

namespace plr::minigrid {

enum class Seeding : std::uint8_t {
  kPcg64,   // gymnasium: SeedSequence, PCG64
  kLegacy,  // gym 0.17: SHA-512, MT19937
};

class LevelRandom {
 public:
  LevelRandom(Seeding seeding, std::uint64_t seed)
      : source_(seeding == Seeding::kLegacy ? Source(std::in_place_type<LegacyRandom>, seed)
                                            : Source(std::in_place_type<NumpyRandom>, seed)) {}
  // Goes on where `random` stands.
  explicit LevelRandom(const NumpyRandom& random) : source_(random) {}

  // Uniform in low..high-1.
  int integer(int low, int high) {
    if (auto* numpy = std::get_if<NumpyRandom>(&source_)) return numpy->integer(low, high);
    return std::get<LegacyRandom>(source_).integer(low, high);
  }

  Color color() { return element<Color>(kColorsByName); }

  template <class T>
  const T& element(std::span<const T> items) {
    return items[static_cast<std::size_t>(integer(0, static_cast<int>(items.size())))];
  }

  template <class T>
  void shuffle(std::span<T> items) {
    std::visit([&](auto& source) { source.shuffle(items); }, source_);
  }

  // The stream in gymnasium's dialect; null in the other.
  const NumpyRandom* numpy() const { return std::get_if<NumpyRandom>(&source_); }

 private:
  using Source = std::variant<NumpyRandom, LegacyRandom>;
  Source source_;
};

}  // namespace plr::minigrid
