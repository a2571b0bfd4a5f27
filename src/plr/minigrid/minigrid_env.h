// How is a MiniGrid task played in many slots at once?
//
// As a VectorEnv (env/vector_env.h) over the engine's values: a Level and a State per slot.  The
// levels are the seeds 0..2^64-1.
//
//   MiniGridEnv env(find_task("MultiRoom-N4-Random"), {.num_slots = 64});
//
// Observations are minigrid's bytes in minigrid's order: [x, y, (kind, color, state)] of the whole
// grid, or [i, j, ...] of the 7 x 7 view.  What is saved of an episode are its actions: loading
// plays them again from the level's beginning.  A step costs too little to be worth a thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plr/env/env_options.h"
#include "plr/env/vector_env.h"
#include "plr/minigrid/known_levels.h"
#include "plr/minigrid/tasks.h"

namespace plr::minigrid {

class MiniGridEnv final : public VectorEnv {
 public:
  // Throws std::invalid_argument for options out of their bounds, or a seeding that the task does
  // not have.
  MiniGridEnv(const Task& task, const EnvOptions& options);

  // Of a slot that has been started.
  const Level& level_in(int slot) const { return levels_[static_cast<std::size_t>(slot)]; }
  const State& state_in(int slot) const { return states_[static_cast<std::size_t>(slot)]; }

 private:
  void start_levels(int lane, std::span<const Start> starts, const StepBatch& out) override;
  void step_slots(int lane, SlotRange slots, std::span<const plr::Action> actions,
                  const StepBatch& out) override;
  std::string_view mission_of(int slot) const override { return level_in(slot).mission.text(); }
  std::optional<int> difficulty_of(LevelId level) const override;
  void save_episode(int slot, ByteWriter& out) const override;
  void load_episode(int slot, LevelId level, bool has_ended, ByteReader& in) override;

  void observe(std::size_t slot, const StepBatch& out) const;

  Task task_;
  Observation observation_;
  std::size_t observation_size_;
  KnownLevels known_levels_;
  std::vector<Level> levels_;          // [N]
  std::vector<State> states_;          // [N]
  std::vector<std::uint8_t> actions_;  // [N, max_steps]; of the episode so far
};

// The environment "minigrid/NAME" of the task NAME.
std::string env_name(const Task& task);

}  // namespace plr::minigrid
