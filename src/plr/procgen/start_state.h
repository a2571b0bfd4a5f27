// How does Procgen begin the level that we choose?
//
// Its library has no function for that.  But it saves and loads states, and a state says from which
// seeds the next level is drawn.  So one state of each game and mode, taken where nothing has been
// played yet, is patched to "from this seed alone" and loaded; a forced reset then begins the level
// just as an environment made for that seed would.  Nothing of what was played before is left,
// which it would be if the running state were patched: dodgeball remembers where the player looked.
//
//   StartState start(library, variant);
//   env.set_state(0, start.of(level));   // a RawEnv of the same game and mode
//   env.set_action(0, libenv::kForceReset);
//   env.act();                           // its reward is not of this level
//
// One rule is ours: in miner an environment that has just been made believes for its first step
// that no diamonds are left, so that where the exit is beside the start (15 of the first 200 easy
// levels) one move wins.  With us it never believes so, as in nearly all episodes of a stock
// environment.
//
// A value type.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plr/core/level.h"
#include "plr/procgen/raw_env.h"

namespace plr::procgen {

// Seeds are 0..kLastLevel: the range after the last must fit into 31 bits too.
inline constexpr LevelId kLastLevel = 0x7ffffffe;

class StartState {
 public:
  // Throws std::runtime_error if the library's states are not laid out as we know them.
  StartState(const Library& library, const Variant& variant);

  // From which a forced reset begins the level; valid until the next call.
  std::span<char> of(LevelId level);

  // Whether a state begins and ends as those of this game and mode do.
  bool is_of_same_variant(std::span<const char> state) const;

 private:
  std::vector<char> bytes_;
  std::size_t seeds_offset_;  // of the lowest seed, and behind it the one after the highest
};

}  // namespace plr::procgen
