// How does one talk to Procgen's library?
//
// A RawEnv is a handle of the library with the memory that it reads and writes: `num` copies of a
// game that are stepped together in the caller's thread and choose their levels themselves, from
// those it was made with.  level_game.h builds level control on top of it.
//
//   RawEnv env(Library::installed(), variant, 1, {.first = 7, .count = 1});
//   env.set_action(0, 4);
//   env.act();
//   if (env.is_first(0)) ...   // that ended the episode; the observation opens the next one
//
// Not copied, since the library keeps the addresses.  Used by one thread at a time.
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

// The seeds first <= seed < first + count, at most 2^31 - 1.
struct SeedRange {
  std::int32_t first = 0;
  std::int32_t count = 1;
};

class RawEnv {
 public:
  // Begins an episode in each copy.  The first one of a process reads all pictures, which takes
  // more than a second.
  RawEnv(const Library& library, const Variant& variant, int num, SeedRange seeds);

  void set_action(int i, std::int32_t action) { actions_[index(i)] = action; }
  void act() { functions_.act(env_.get()); }

  // What the last act() or set_state() has left.
  std::span<const std::uint8_t> observation(int i) const {
    return std::span(observations_).subspan(index(i) * kObservationSize, kObservationSize);
  }
  float reward(int i) const { return rewards_[index(i)]; }
  bool is_first(int i) const { return first_[index(i)] != 0; }
  // Whether the episode that has just ended solved its level.
  bool is_complete(int i) const { return complete_[index(i)] != 0; }
  std::int32_t level_seed(int i) const { return level_seeds_[index(i)]; }

  // The state of a copy, whole, in the library's own format; and back.  The bytes must be of this
  // very game: nothing is checked.
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
