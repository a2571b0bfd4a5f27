// How good is the agent on levels that it may not have trained on?
//
// Plays one episode on each of the given levels, many at a time.  Every slot has a fixed list of
// levels, so that short episodes are not favoured; a slot that is through plays on unheard until
// all are.
//
//   Evaluator evaluator(*env, network);
//   const Evaluation test = evaluator.play(levels, false, streams.named("evaluate"));
//
// What it refers to must outlive it.  Not synchronized.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/level.h"
#include "plr/env/vector_env.h"
#include "plr/learn/network.h"

namespace plr::train {

struct PlayedEpisode {
  LevelId level = 0;
  double episode_return = 0;
  std::int64_t length = 0;
  bool is_solved = false;
};

// One episode for each level asked for, in that order.
struct Evaluation {
  std::vector<PlayedEpisode> episodes;
  bool is_whole = true;  // or it was stopped before they had ended

  double mean_return() const;
  // Of the mean; 0 for fewer than two episodes.
  double standard_error() const;
  // The share of episodes that solved their level.
  double success_rate() const;
  double mean_length() const;
};

class Evaluator {
 public:
  // `env` is the evaluator's own: it starts and steps all of its slots.
  Evaluator(VectorEnv& env, const learn::Network& network);

  // Actions are drawn from the policy, or the likeliest is taken if `greedy`.  `should_stop`, if
  // there is one, is asked at every step.
  Evaluation play(const std::vector<LevelId>& levels, bool greedy, Random random,
                  const std::function<bool()>& should_stop = {});

 private:
  VectorEnv& env_;
  const learn::Network& network_;
  StepBuffers buffers_;
};

}  // namespace plr::train
