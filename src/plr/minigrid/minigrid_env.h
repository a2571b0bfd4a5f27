// A MiniGrid task as a VectorEnv (env/vector_env.h).
//
// Each slot is a Level and a State of the engine (level.h).  Levels are the seeds 0..2^64-1.
//
//   MiniGridEnv env(find_task("MultiRoom-N4-Random"), {.num_slots = 64});
//
// Observations are minigrid's bytes in minigrid's order: [x, y, (kind, color, state)] of the whole
// grid, or [i, j, ...] of the 7 x 7 view.  A saved episode consists of its actions; loading replays
// them from the start of the level.  A step is so short that threads pay off only for many slots:
// there are at most num_slots / 128 workers.
//
// Not copyable.  Not thread-safe: one caller at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plr/env/env_options.h"
#include "plr/env/vector_env.h"
#include "plr/minigrid/level_cache.h"
#include "plr/minigrid/tasks.h"

namespace plr::minigrid {

class MiniGridEnv final : public VectorEnv {
 public:
  // Throws std::invalid_argument for options that are out of bounds or a seeding that the task does
  // not offer.
  MiniGridEnv(const Task& task, const EnvOptions& options);

  // REQUIRES: the slot has been started.
  const Level& level_in(int slot) const { return levels_[static_cast<std::size_t>(slot)]; }
  const State& state_in(int slot) const { return states_[static_cast<std::size_t>(slot)]; }

 private:
  void start_level(int slot, LevelId level, const StepBatch& out) override;
  void step_slots(SlotRange slots, std::span<const plr::Action> actions,
                  const StepBatch& out) override;
  std::string_view mission_of(int slot) const override { return level_in(slot).mission.text(); }
  std::optional<int> difficulty_of(LevelId level) const override;
  void save_episode(int slot, ByteWriter& out) const override;
  void load_episode(int slot, LevelId level, bool has_ended, ByteReader& in) override;

  void observe(std::size_t slot, const StepBatch& out) const;

  Task task_;
  Observation observation_;
  std::size_t observation_size_;
  LevelCache level_cache_;
  std::vector<Level> levels_;          // [N]
  std::vector<State> states_;          // [N]
  std::vector<std::uint8_t> actions_;  // [N, max_steps]; of the current episode
};

// "minigrid/NAME" for the task NAME.
std::string env_name(const Task& task);

}  // namespace plr::minigrid
