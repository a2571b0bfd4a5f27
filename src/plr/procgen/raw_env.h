// A handle of Procgen's library, with the memory that the library reads and writes.
//
// It has `num` instances of a game that are stepped together in the caller's thread and draw their
// levels from a range of seeds.  level_game.h adds the choice of the level.
//
//   RawEnv env(Library::installed(), variant, 1, {.first = 7, .count = 1});
//   env.set_action(0, 4);
//   env.act();
//   if (env.is_first(0)) ...   // the episode ended; the observation opens the next one
//
// Not copyable, since the library keeps the addresses.  Not thread-safe: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plr/procgen/games.h"
#include "plr/procgen/library.h"

namespace plr::procgen {

inline constexpr int kImageSide = 64;
inline constexpr std::size_t kObservationSize = std::size_t{kImageSide} * kImageSide * 3;
inline constexpr int kNumActions = 15;

// A bound on the size of a state.  Measured: 10 to 40 kB over all 42 variants, in 300 random steps
// of 40 levels each.
inline constexpr std::size_t kMaxStateSize = 1 << 20;

// The seeds first <= seed < first + count.  REQUIRES: first + count <= 2^31 - 1.
struct SeedRange {
  std::int32_t first = 0;
  std::int32_t count = 1;
};

class RawEnv {
 public:
  // Begins an episode in each instance.  The first RawEnv of a process reads all images, which
  // takes more than a second.
  RawEnv(const Library& library, const Variant& variant, int num, SeedRange seeds);

  void set_action(int i, std::int32_t action) { actions_[index(i)] = action; }
  void act() { functions_.act(env_.get()); }

  // The results of the last act() or set_state().
  std::span<const std::uint8_t> observation(int i) const {
    return std::span(observations_).subspan(index(i) * kObservationSize, kObservationSize);
  }
  float reward(int i) const { return rewards_[index(i)]; }
  bool is_first(int i) const { return first_[index(i)] != 0; }
  // Whether the episode that the last act() ended solved its level.
  bool is_complete(int i) const { return complete_[index(i)] != 0; }
  std::int32_t level_seed(int i) const { return level_seeds_[index(i)]; }

  // The complete state of an instance, in the library's format.
  // REQUIRES of set_state(): a state of the same game and mode.  The library checks nothing.
  std::vector<char> state(int i) const;
  void set_state(int i, std::span<char> state);

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  const libenv::Functions& functions_;
  std::vector<std::uint8_t> observations_;      // [num, 64, 64, 3]
  std::vector<float> rewards_;                  // [num]
  std::vector<std::uint8_t> first_;             // [num]
  std::vector<std::int32_t> prev_level_seeds_;  // [num]
  std::vector<std::uint8_t> complete_;          // [num]
  std::vector<std::int32_t> level_seeds_;       // [num]
  std::vector<std::int32_t> actions_;           // [num]
  std::unique_ptr<void, void (*)(void*)> env_;
};

}  // namespace plr::procgen
