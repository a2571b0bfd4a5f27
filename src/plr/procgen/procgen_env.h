// A game of Procgen as a VectorEnv (env/vector_env.h).
//
// Each slot has an instance of the game (level_game.h); a pool of threads steps them
// (env/worker_pool.h).  Levels are the seeds 0..2^31-2, observations are 64 x 64 RGB pixels.
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

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plr/env/env_options.h"
#include "plr/env/vector_env.h"
#include "plr/env/worker_pool.h"
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

  // A level to start in a slot, and its cache entry, if any.
  struct PendingStart {
    LevelId level = 0;
    StartStateCache::Entry* entry = nullptr;
    bool is_cached = false;  // load the entry's state; otherwise store it there
  };

  // The work submitted in a lane: steps, or starts if there are no actions.
  struct LaneWork {
    ProcgenEnv* env = nullptr;
    int first_slot = 0;
    std::span<const Action> actions;
    StepBatch out;

    void operator()(int slot) const noexcept;
  };

  void start_levels(int lane, std::span<const Start> starts, const StepBatch& out) override;
  void step_slots(int lane, SlotRange slots, std::span<const Action> actions,
                  const StepBatch& out) override;
  void collect_lane(int lane) override;
  bool is_lane_ready(int lane) const override { return pool_.ready(lane); }
  void run_one_pending_task() override { pool_.run_one_task(); }
  bool solved_by(int slot, double last_reward) const override;
  void save_episode(int slot, ByteWriter& out) const override;
  void load_episode(int slot, LevelId level, bool has_ended, ByteReader& in) override;

  const Library& library_of(int slot) const;
  Slot make_slot(int slot) const;
  void start_slot(int slot, const StepBatch& out);
  void step_slot(int slot, Action action, const StepBatch& out);
  Slot& slot_at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }
  const Slot& slot_at(int slot) const { return slots_[static_cast<std::size_t>(slot)]; }
  void observe(int slot, const StepBatch& out) const;

  Variant variant_;
  StartState start_state_;
  std::vector<Slot> slots_;                                  // [N]
  std::vector<std::optional<PendingStart>> pending_starts_;  // [N]
  StartStateCache start_state_cache_;
  std::array<std::vector<StartStateCache::Entry*>, kNumLanes> storing_;  // [lane]: pending entries
  std::array<LaneWork, kNumLanes> work_;                                 // [lane]
  Slot spare_;       // episodes are loaded here and swapped in once validated
  WorkerPool pool_;  // the last member, so that its threads end first
};

}  // namespace plr::procgen
