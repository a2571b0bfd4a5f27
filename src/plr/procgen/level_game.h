// One instance of a game, played on chosen levels.
//
//   LevelGame game(library, variant, start_state);
//   game.start(level);
//   game.step(action);
//   if (game.has_ended()) ...   // game.is_solved(), or start another level
//
// When an episode ends, the library restarts the same level.  If that is the level to start next,
// start() does nothing, except in games that remember something over resets (games.h).
//
// Not copyable.  Not thread-safe: one thread at a time; the thread may change between calls.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plr/core/level.h"
#include "plr/procgen/raw_env.h"
#include "plr/procgen/start_state.h"

namespace plr::procgen {

class LevelGame {
 public:
  LevelGame(const Library& library, const Variant& variant, const StartState& start_state)
      : env_(library, variant, 1, {.first = 0, .count = 1}),
        start_state_(start_state),
        remembers_(variant.game->remembers) {}

  void start(LevelId level) {
    if (is_at_start_of(level)) return;
    env_.set_state(0, start_state_.of(level));
    step(libenv::kForceReset);
  }
  // Whether start() would change nothing.
  bool is_at_start_of(LevelId level) const { return is_at_start_ && this->level() == level; }

  void step(std::int32_t action) {
    env_.set_action(0, action);
    env_.act();
    is_at_start_ = has_ended() && !remembers_;
  }

  // The complete state, in the library's format.
  // REQUIRES of set_state(): a state of the same game and mode.  The library checks nothing.
  std::vector<char> state() const { return env_.state(0); }
  void set_state(std::span<char> state) {
    env_.set_state(0, state);
    is_at_start_ = false;
  }
  LevelId level() const { return static_cast<LevelId>(env_.level_seed(0)); }

  // After the end of an episode, the first observation of the level: the library does not show the
  // last one.
  std::span<const std::uint8_t> observation() const { return env_.observation(0); }

  // Results of the last step.
  double reward() const { return env_.reward(0); }
  bool has_ended() const { return env_.is_first(0); }
  // REQUIRES: the last step ended the episode.
  bool is_solved() const { return env_.is_complete(0); }

 private:
  RawEnv env_;
  StartState start_state_;  // a copy, since of() patches it
  bool remembers_;
  bool is_at_start_ = false;  // known to be at the start of level()
};

}  // namespace plr::procgen
