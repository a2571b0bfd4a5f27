// Speed of an environment on one core: steps, and starts of levels.
//
//   const auto env = catalog::make_env("procgen/maze", {.num_slots = 64, .num_workers = 1});
//   const EnvSpeed speed = measure_env(*env, {.num_levels = 200, .seconds = 1});
//
// EnvSpeed is copyable. Thread-safe for different environments.
#pragma once

#include "plr/bench/clock.h"
#include "plr/core/level.h"
#include "plr/env/vector_env.h"

namespace plr::bench {

struct EnvMeasurement {
  LevelId num_levels = 200;      // of a training set whose levels are started repeatedly
  double seconds = 1;            // of playing; each kind of start is measured for 0.3 of it
  Clock clock = thread_seconds;  // that of the thread which steps the slots
};

struct EnvSpeed {
  double steps_per_second = 0;              // with random actions, level starts included
  double microseconds_per_start = 0;        // of a new level
  double microseconds_per_start_again = 0;  // of a level that was played before
  double steps_per_episode = 0;
};

// REQUIRES: the environment steps its slots in the calling thread (num_workers = 1).
EnvSpeed measure_env(VectorEnv& env, const EnvMeasurement& measurement);

}  // namespace plr::bench
