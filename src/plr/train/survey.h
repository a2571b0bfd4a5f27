// Plays each of many levels for a number of steps with the current policy and counts successes.
//
//   const std::vector<SurveyedLevel> levels =
//       survey(*env, *backend, ids, {.num_steps = 2000}, stream);
//   const double rate = levels[0].success_rate();
//
// A slot plays one level: it starts the same level again after every end, with the state of a
// recurrent network at zero. Nothing is learned, and episodes that have not ended after the last
// step are not counted. As many levels as `env` has slots are played at a time. Actions are drawn
// from `random` by step and slot, so that equal arguments give equal results, for any number of
// workers.
//
// Where inference takes any batch (collect/inference.h), the slots are two groups: the workers step
// one while the device computes the actions of the other.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/level.h"
#include "plr/env/vector_env.h"
#include "plr/learn/backend.h"

namespace plr::train {

struct SurveyOptions {
  std::int64_t num_steps = 1;
  int num_workers = 0;  // threads, 0 for one per core; at most one per 1,024 slots is used
};

struct SurveyedLevel {
  LevelId level = 0;
  std::int64_t episodes = 0;   // that ended
  std::int64_t successes = 0;  // of them, those with a return above 0
  double return_sum = 0;       // over the episodes that ended

  // Fraction of the episodes that succeeded; 0 without episodes.
  double success_rate() const {
    return episodes == 0 ? 0 : static_cast<double>(successes) / static_cast<double>(episodes);
  }
  friend bool operator==(const SurveyedLevel&, const SurveyedLevel&) = default;
};

// One result per element of `levels`, in their order; a level may occur more than once.
// `should_stop`, if given, is called at every step; after true the result is empty.
// REQUIRES: options.num_steps >= 1; nothing else uses `env` or `backend` meanwhile.
std::vector<SurveyedLevel> survey(VectorEnv& env, learn::Backend& backend,
                                  std::span<const LevelId> levels, const SurveyOptions& options,
                                  Random random, const std::function<bool()>& should_stop = {});

}  // namespace plr::train
