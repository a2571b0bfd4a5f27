// A state of Procgen's library from which a forced reset starts a chosen level.
//
// The library has no function to choose a level, but a saved state contains the range of seeds from
// which the next level is drawn.  One state per game and mode, taken before anything was played, is
// patched to a range of one seed and loaded; a forced reset then starts the level exactly as an
// environment made for that seed does.  Patching the running state instead would keep what a game
// remembers over resets: in dodgeball, the direction in which the player looked.
//
//   StartState start(library, variant);
//   env.set_state(0, start.of(level));   // a RawEnv of the same game and mode
//   env.set_action(0, libenv::kForceReset);
//   env.act();                           // its reward does not belong to this level
//
// There is one difference from a new environment: in miner, a new environment has counted no
// diamonds in its first step, so that where the exit is next to the start (15 of the first 200 easy
// levels) one move wins.  Here this never happens, as in nearly all episodes of a stock
// environment.
//
// Copyable.  Not thread-safe: of() patches the object.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plr/core/level.h"
#include "plr/procgen/raw_env.h"

namespace plr::procgen {

// Seeds are 0..kLastLevel: the end of the range must also fit into 31 bits.
inline constexpr LevelId kLastLevel = 0x7ffffffe;

class StartState {
 public:
  // Throws std::runtime_error if the layout of the library's states is not the expected one.
  StartState(const Library& library, const Variant& variant);

  // The state from which a forced reset starts the level; valid until the next call.
  std::span<char> of(LevelId level);

  // Whether a state has the header and end mark of this game and mode.
  bool is_of_same_variant(std::span<const char> state) const;

 private:
  std::vector<char> bytes_;
  std::size_t seeds_offset_;  // of the first seed, followed by the end of the range
};

}  // namespace plr::procgen
