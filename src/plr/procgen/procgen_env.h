// How is a game of Procgen played in many slots at once?
//
// As a VectorEnv (env/vector_env.h) over one copy of the game per slot (level_game.h), stepped by a
// pool of threads (env/worker_pool.h).  The levels are the seeds 0..2^31-2, observations are the
// 64 x 64 pixels in red, green and blue.
//
//   ProcgenEnv env(*find_variant("procgen/bigfish"), {.num_slots = 64});
//
// An episode is truncated if it takes as many steps as the game allows; the library does not tell
// whether the last of them would have ended it anyway, unless it solved the level.  What is saved
// of an episode is the library's own state of it.  The library believes whatever it loads, and ends
// the process or worse if that is wrong, so the state is sealed by itself, with its variant's name.
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
#include "plr/procgen/known_starts.h"
#include "plr/procgen/level_game.h"

namespace plr::procgen {

class ProcgenEnv final : public VectorEnv {
 public:
  // Throws std::invalid_argument for options out of their bounds or of MiniGrid only, and
  // std::runtime_error if Procgen is not installed (library.h).
  ProcgenEnv(const Variant& variant, const EnvOptions& options);

 private:
  struct Slot {
    std::unique_ptr<LevelGame> game;
    std::int64_t num_steps = 0;  // of the episode so far
  };

  // A level that is to begin in a slot, and the state that it is loaded from or leaves.
  struct ToStart {
    LevelId level = 0;
    KnownStarts::Entry* known = nullptr;
    bool is_from_memory = false;
  };

  // What is under way in a lane: steps, or starts where there are no actions.
  struct Play {
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
  std::vector<Slot> slots_;                       // [N]
  std::vector<std::optional<ToStart>> to_start_;  // [N]
  KnownStarts known_starts_;
  std::array<std::vector<KnownStarts::Entry*>, kNumLanes> taking_;  // [lane]: states under way
  std::array<Play, kNumLanes> plays_;                               // [lane]
  Slot spare_;       // where an episode is loaded, until it is known to be good
  WorkerPool pool_;  // the last, so that its threads end first
};

}  // namespace plr::procgen
