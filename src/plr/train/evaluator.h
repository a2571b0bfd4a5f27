// Plays one episode on each of the given levels with a trained network, many in parallel.
//
//   Evaluator evaluator(*env, *backend);
//   const Evaluation test = evaluator.play(levels, false, streams.named("evaluate"));
//
// Every slot has a fixed list of levels and leaves the batches when it has played them
// (learn/policy.h), so that a few long episodes at the end cost little. Not copyable. Not
// thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/level.h"
#include "plr/env/vector_env.h"
#include "plr/learn/backend.h"

namespace plr::train {

// The number of slots in which `num_episodes` episodes are evaluated: up to 64, and a quarter of
// the episodes up to 256, because an episode costs less in a larger batch.
inline int evaluation_slots(std::int64_t num_episodes) {
  const std::int64_t most = std::clamp<std::int64_t>(num_episodes / 4, 64, 256);
  return static_cast<int>(std::min(most, num_episodes));
}

struct PlayedEpisode {
  LevelId level = 0;
  double episode_return = 0;
  std::int64_t length = 0;
  bool is_solved = false;
};

// One episode per level, in the order of the levels.
struct Evaluation {
  std::vector<PlayedEpisode> episodes;
  bool is_complete = true;  // false if it was stopped before all episodes ended

  double mean_return() const;
  // Standard error of the mean return; 0 for fewer than two episodes.
  double standard_error() const;
  // Fraction of the episodes that solved their level.
  double success_rate() const;
  double mean_length() const;
};

// Callbacks of an evaluation, both called at every step.
struct EvaluationWatch {
  std::function<void(double fraction)> progressed = {};  // of the work that is done, 0 to 1
  std::function<bool()> should_stop = {};                // true stops the evaluation
};

class Evaluator {
 public:
  // Starts and steps all slots of `env`.
  // REQUIRES: both outlive the evaluator.
  Evaluator(VectorEnv& env, learn::Backend& backend);

  // Actions are sampled from the policy, or the most probable ones if `greedy`.
  // REQUIRES: levels is not empty.
  Evaluation play(const std::vector<LevelId>& levels, bool greedy, Random random,
                  const EvaluationWatch& watch = {});

 private:
  VectorEnv& env_;
  learn::Backend& backend_;
};

}  // namespace plr::train
