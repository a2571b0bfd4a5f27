// The random stream from which a level is generated.
//
// A 64-bit seed is turned into numbers either as gymnasium and minigrid 3.1.0 do, or as gym 0.17
// did, which the paper's runs used.  Level generators draw through this class:
//
//   LevelRandom random(Seeding::kPcg64, seed);
//   const Color color = random.color();
//
// Copyable: a copy continues with the same numbers.  Not thread-safe.
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
  // Continues the stream `random`.
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

  // The stream if the seeding is kPcg64, otherwise null.
  const NumpyRandom* numpy() const { return std::get_if<NumpyRandom>(&source_); }

 private:
  using Source = std::variant<NumpyRandom, LegacyRandom>;
  Source source_;
};

}  // namespace plr::minigrid
