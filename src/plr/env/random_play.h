// Plays an environment with random actions, for benchmarks and tests.
//
//   RandomPlay play(*env, seed);
//   for (int i = 0; i < 1000; ++i) play.step();
//   play.num_episodes();   // ended so far
//
// Deterministic for a seed.  step() does not allocate.  A copy would play the same slots: do not
// copy.  Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plr/env/vector_env.h"

namespace plr {

class RandomPlay {
 public:
  // Starts levels 0, 1, ... in the slots.  REQUIRES: `env` outlives this object.
  RandomPlay(VectorEnv& env, std::uint64_t seed);

  // Takes one action in every slot and starts the next new level where an episode ended.
  void step();

  std::int64_t num_steps() const { return num_steps_; }
  std::int64_t num_episodes() const { return num_episodes_; }
  StepBatch batch() { return buffers_.batch(); }

 private:
  VectorEnv& env_;
  StepBuffers buffers_;
  std::vector<Action> actions_;  // drawn once, used cyclically
  std::size_t next_action_ = 0;
  std::vector<Start> starts_;
  LevelId next_level() { return env_.spec().level_modulo(num_levels_++); }

  std::uint64_t num_levels_ = 0;  // that have been started
  std::int64_t num_steps_ = 0;
  std::int64_t num_episodes_ = 0;
};

}  // namespace plr
