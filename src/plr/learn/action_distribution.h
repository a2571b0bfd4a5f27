// The distribution of actions that a network's policy outputs describe.
//
//   space            outputs of an observation            distribution
//   discrete         a logit per choice                   categorical
//   multi-discrete   the logits of all choices, in order  independent categoricals
//   continuous       means, then logarithms of standard   independent normals, not clipped to
//                    deviations                           the bounds of the space
//
//   const ActionDistribution policy(shape.actions, output.logits);
//   const at::Tensor actions = policy.sample(noise);          // action_noise.h
//   const at::Tensor log_probs = policy.log_prob(actions);    // [B]
//
// Actions are int64 [B] of a discrete space, int64 [B, W] of a multi-discrete and floats [B, W] of
// a continuous one.  Differentiable.  Copies share their tensors.  Thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "plr/core/episode_scorer.h"
#include "plr/env/spaces.h"

namespace plr::learn {

// The number of policy outputs per observation.
std::int64_t num_outputs(const ActionSpace& space);

class ActionDistribution {
 public:
  // REQUIRES: outputs are floats [B, num_outputs(space)]; space outlives this object.
  ActionDistribution(const ActionSpace& space, const at::Tensor& outputs);

  // Of actions, [B].
  at::Tensor log_prob(const at::Tensor& actions) const;
  // [B]; of a continuous distribution the differential entropy.
  at::Tensor entropy() const;
  // Choices: the smallest whose cumulative probability exceeds the noise.  Floats: mean + deviation
  // * noise.  Noise is doubles [B] of a discrete space, else [B, W].
  at::Tensor sample(const at::Tensor& noise) const;
  // The most probable actions.
  at::Tensor mode() const;
  // policy_term() of core/episode_scorer.h of the joint distribution of all words, [B]; 0 for score
  // functions that need none.
  // REQUIRES: the space is not continuous if the score function needs a term.
  at::Tensor policy_terms(ScoreFunction function) const;

 private:
  const ActionSpace& space_;
  std::vector<at::Tensor> logits_;     // [B, choices] by word; this and the next if not continuous
  std::vector<at::Tensor> log_probs_;  // [B, choices] by word
  at::Tensor mean_;                    // [B, W], this and the next if continuous
  at::Tensor log_deviation_;           // [B, W]
};

}  // namespace plr::learn
