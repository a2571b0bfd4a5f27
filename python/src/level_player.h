// Plays levels one after another in the slots of a VectorEnv.
//
// A VectorEnv waits in a slot whose episode has ended. A LevelPlayer stores the final observation,
// level, return and length of the episode, and starts the level that the caller chooses:
//
//   player.start(starts);                       // {slot, level} pairs
//   player.step(actions);
//   for (const int slot : player.ended()) ...   // choose the next levels
//   player.start(starts);
//
// All arrays keep their addresses for the lifetime of the object, so that Python can use views of
// them. Not copyable. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plr/env/vector_env.h"

namespace plr::python {

class LevelPlayer {
 public:
  explicit LevelPlayer(std::unique_ptr<VectorEnv> env);

  VectorEnv& env() { return *env_; }
  const VectorEnv& env() const { return *env_; }
  const EnvSpec& spec() const { return env_->spec(); }

  // Throw the exceptions of VectorEnv::start and VectorEnv::step.
  void start(std::span<const Start> starts);
  // The slots of `starts`, which are in order, start a level instead of acting: their reward is 0.
  void step(std::span<const Action> actions, std::span<const Start> starts = {});

  // The slots whose episode the last step ended, in order.
  std::span<const int> ended() const { return ended_; }

  // Whether the slot waits for start() after an episode.
  bool has_ended(int slot) const { return env_->level(slot) && !env_->is_running(slot); }

  StepBatch batch() { return buffers_.batch(); }
  std::span<LevelId> levels() { return levels_; }  // [N]: the levels of the observations

  // The episode that ended last in each slot.
  std::span<std::uint8_t> final_observations() { return final_observations_; }  // [N, H, W, C]
  std::span<LevelId> final_levels() { return final_levels_; }                   // [N]
  std::span<double> final_returns() { return final_returns_; }                  // [N]
  std::span<std::int64_t> final_lengths() { return final_lengths_; }            // [N]
  std::span<std::uint8_t> solved() { return solved_; }                          // [N]

 private:
  void step_range(SlotRange slots, std::span<const Action> actions);
  void note_end(int slot);

  std::unique_ptr<VectorEnv> env_;
  StepBuffers buffers_;
  std::vector<LevelId> levels_;
  std::vector<double> returns_;        // of the running episodes
  std::vector<std::int64_t> lengths_;  // their steps
  std::vector<int> ended_;
  std::vector<std::uint8_t> final_observations_;
  std::vector<LevelId> final_levels_;
  std::vector<double> final_returns_;
  std::vector<std::int64_t> final_lengths_;
  std::vector<std::uint8_t> solved_;
};

}  // namespace plr::python
