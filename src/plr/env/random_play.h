// How does one keep an environment busy?
//
// With random actions, and the next level wherever an episode has ended: what benchmarks measure
// and tests look at.
//
//   RandomPlay play(*env, seed);
//   for (int i = 0; i < 1000; ++i) play.step();
//   play.num_episodes();   // that ended meanwhile
//
// The same seed plays the same.  Nothing is allocated per step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plr/env/vector_env.h"

namespace plr {

class RandomPlay {
 public:
  // Starts the levels 0, 1, ... in the slots.  The environment must outlive it.
  RandomPlay(VectorEnv& env, std::uint64_t seed);

  // One action in every slot; where it ended an episode, a level not played yet begins.
  void step();

  std::int64_t num_steps() const { return num_steps_; }
  std::int64_t num_episodes() const { return num_episodes_; }
  StepBatch batch() { return buffers_.batch(); }

 private:
  VectorEnv& env_;
  StepBuffers buffers_;
  std::vector<Action> actions_;  // drawn once and used again and again
  std::size_t next_action_ = 0;
  std::vector<Start> starts_;
  LevelId next_level_ = 0;
  std::int64_t num_steps_ = 0;
  std::int64_t num_episodes_ = 0;
};

}  // namespace plr
