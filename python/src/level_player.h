// How does an environment play level after level by itself?
//
// A VectorEnv waits where an episode has ended.  A LevelPlayer notes what Python will want to know
// about the end, and starts the level that somebody chooses for the slot:
//
//   player.start(starts);                       // {slot, level} pairs
//   player.step(actions);
//   for (const int slot : player.ended()) ...   // choose the next levels
//   player.start(starts);
//
// All arrays stay where they are as long as it lives, so that Python may look at them directly.
// Not copied; not synchronized.
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

  // These throw as VectorEnv's do.
  void start(std::span<const Start> starts);
  void step(std::span<const Action> actions);

  // The slots whose episode the last step ended, in order.
  std::span<const int> ended() const { return ended_; }

  StepBatch batch() { return buffers_.batch(); }
  std::span<LevelId> levels() { return levels_; }  // [N]: what the observations show

  // Of the episode that ended last in a slot.
  std::span<std::uint8_t> final_observations() { return final_observations_; }  // [N, H, W, C]
  std::span<LevelId> final_levels() { return final_levels_; }                   // [N]
  std::span<double> final_returns() { return final_returns_; }                  // [N]
  std::span<std::int64_t> final_lengths() { return final_lengths_; }            // [N]
  std::span<std::uint8_t> solved() { return solved_; }                          // [N]

 private:
  void note_end(int slot);

  std::unique_ptr<VectorEnv> env_;
  StepBuffers buffers_;
  std::vector<LevelId> levels_;
  std::vector<double> returns_;        // of the episodes so far
  std::vector<std::int64_t> lengths_;  // their steps
  std::vector<int> ended_;
  std::vector<std::uint8_t> final_observations_;
  std::vector<LevelId> final_levels_;
  std::vector<double> final_returns_;
  std::vector<std::int64_t> final_lengths_;
  std::vector<std::uint8_t> solved_;
};

}  // namespace plr::python
