// The maze as a VectorEnv (env/vector_env.h).
//
//   MazeEnv env(*find_task("random-25"), {.num_slots = 32, .store = store});
//
// Levels are the seeds 0..2^63-1 of the task, and the ids of levels in the store that the
// environment is made with.  Observations are views [V, V, 4] (observe.h), or the whole maze
// [width, height, 3] with Observation::kFull, in which a smaller level is padded with walls.
// Reaching the goal terminates an episode, the step limit truncates it.
//
// The difficulty of a level is the length of its shortest solution, in classes: up to 8, 16, 32 and
// 64 actions, more, and no solution.  A saved episode is its level's id and the agent's state, with
// a checksum of the level: an episode is refused if its level has changed, for example in a file.
//
// Not copyable.  Not thread-safe: one caller at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plr/core/level_store.h"
#include "plr/env/env_options.h"
#include "plr/env/vector_env.h"
#include "plr/maze/level.h"
#include "plr/maze/observe.h"
#include "plr/maze/step.h"
#include "plr/maze/tasks.h"

namespace plr::maze {

inline constexpr int kNumDifficulties = 6;

// The class of a level whose shortest solution has this many actions; the last is "no solution".
int difficulty_class(std::optional<int> num_actions);

class MazeEnv final : public VectorEnv {
 public:
  // Throws std::invalid_argument for options that are out of bounds, an even view_size, or a
  // seeding other than the default.
  MazeEnv(const Task& task, const EnvOptions& options);

  // REQUIRES: the slot has been started.
  const Level& level_in(int slot) const { return levels_[static_cast<std::size_t>(slot)]; }
  const State& state_in(int slot) const { return states_[static_cast<std::size_t>(slot)]; }

  const Rules& rules() const { return rules_; }
  const View& view() const { return view_; }

  // Throws std::out_of_range if the level does not exist.
  Level level_of(LevelId level) const;

 private:
  void start_level(int slot, LevelId level, const StepBatch& out) override;
  void step_slots(SlotRange slots, std::span<const plr::Action> actions,
                  const StepBatch& out) override;
  std::optional<int> difficulty_of(LevelId level) const override;
  std::string level_name_of(LevelId level) const override;
  bool stores(LevelId level) const override;
  void save_episode(int slot, ByteWriter& out) const override;
  void load_episode(int slot, LevelId level, bool has_ended, ByteReader& in) override;

  void observe(std::size_t slot, const StepBatch& out) const;

  Task task_;
  Rules rules_;
  View view_;
  bool is_full_;  // observes the whole maze
  std::size_t observation_size_;
  std::shared_ptr<const LevelStore> store_;
  std::vector<Level> levels_;  // [N]
  std::vector<State> states_;  // [N]
};

// "maze/NAME" for the task NAME.
std::string env_name(const Task& task);

// The step limit of a task under these options.
int max_steps_of(const Task& task, const MazeOptions& options);

}  // namespace plr::maze
