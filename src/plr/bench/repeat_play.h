// Plays an environment with random actions; slot i repeats level i.
//
//   RepeatPlay play(env);
//   for (int i = 0; i < 1000; ++i) play.step();
//   play.starts_per_step() * play.seconds_per_start();   // share of a step's time
//
// Not copyable. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "plr/bench/action_cycle.h"
#include "plr/env/vector_env.h"

namespace plr::bench {

class RepeatPlay {
 public:
  // Starts a level in every slot. REQUIRES: `env` outlives this object.
  explicit RepeatPlay(VectorEnv& env);
  RepeatPlay(const RepeatPlay&) = delete;
  RepeatPlay& operator=(const RepeatPlay&) = delete;

  // Takes one action in every slot and restarts levels that ended; returns the number of slots.
  int step();

  // The results of the last step; the observations are those after the restarts.
  StepBatch batch() { return buffers_.batch(); }

  // CPU time of the calling thread: all of it if the environment has one worker.
  double seconds_per_start() const { return start_seconds_ / static_cast<double>(num_starts_); }
  // Per step of one slot, the first starts included. REQUIRES: a step was taken.
  double starts_per_step() const {
    return static_cast<double>(num_starts_) / static_cast<double>(num_steps_);
  }

 private:
  void repeat(int slot) { starts_.push_back({slot, static_cast<LevelId>(slot)}); }
  void run_starts();

  VectorEnv& env_;
  ActionCycle actions_;
  StepBuffers buffers_;
  std::vector<Start> starts_;
  std::int64_t num_steps_ = 0;
  std::int64_t num_starts_ = 0;
  double start_seconds_ = 0;
};

}  // namespace plr::bench
