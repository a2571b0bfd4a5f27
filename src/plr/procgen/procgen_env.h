// A game of Procgen as a VectorEnv (env/vector_env.h).
//
// Each slot has an instance of the game (level_game.h).  Levels are the seeds 0..2^31-2,
// observations are 64 x 64 RGB pixels.
//
//   ProcgenEnv env(*find_variant("procgen/bigfish"), {.num_slots = 64});
//
// An episode is truncated at the step limit of the game.  The library does not report whether the
// last step also ended it otherwise, unless it solved the level.  A saved episode is the library's
// state.  The library does not validate states that it loads and may end the process, so each state
// is sealed with a checksum and the name of its variant.
//
// Not copyable.  Not thread-safe: one caller at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plr/env/env_options.h"
#include "plr/env/vector_env.h"
#include "plr/procgen/games.h"
#include "plr/procgen/level_game.h"
#include "plr/procgen/start_state_cache.h"

namespace plr::procgen {

class ProcgenEnv final : public VectorEnv {
 public:
  // Throws std::invalid_argument for options that are out of bounds or apply only to MiniGrid, and
  // std::runtime_error if Procgen is not installed (library.h).
  ProcgenEnv(const Variant& variant, const EnvOptions& options);

 private:
  struct Slot {
    std::unique_ptr<LevelGame> game;
    std::int64_t num_steps = 0;  // of the current episode
  };

  void start_level(int slot, LevelId level, const StepBatch& out) override;
  void step_slots(SlotRange slots, std::span<const Action> actions, const StepBatch& out) override;
  bool solved_by(int slot, double last_reward) const override;
  void save_episode(int slot, ByteWriter& out) const override;
  void load_episode(int slot, LevelId level, bool has_ended, ByteReader& in) override;

  const Library& library_of(int slot) const;
  Slot make_slot(int slot) const;
  void step_game(int slot, Action action, const StepBatch& out);
  Slot& slot_at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }
  const Slot& slot_at(int slot) const { return slots_[static_cast<std::size_t>(slot)]; }
  void observe(int slot, const StepBatch& out) const;

  Variant variant_;
  StartState start_state_;
  std::vector<Slot> slots_;  // [N]
  StartStateCache start_state_cache_;
  Slot spare_;  // episodes are loaded here and swapped in once validated
};

}  // namespace plr::procgen
