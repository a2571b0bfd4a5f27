// The last layer of a network's policy: from features to the outputs of an action distribution
// (action_distribution.h).
//
//   add_policy_head(shape.actions, 64, specs);            // policy.w, policy.b
//   const PolicyHead policy(parameters, shape.actions);
//   return {.logits = policy(features), .value = ...};
//
// The layer has a logit per choice, or a mean per float.  The logarithms of the floats' standard
// deviations, `log_std`, are parameters that do not depend on the observation; they start at 0.
//
// Copies refer to the same parameters.  Thread-safe as long as nothing changes the parameters.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "plr/env/spaces.h"
#include "plr/learn/layers.h"
#include "plr/learn/parameters.h"

namespace plr::learn {

// Appends the parameters of a policy over `inputs` features, with orthogonal weights of gain 0.01.
void add_policy_head(const ActionSpace& space, std::int64_t inputs,
                     std::vector<ParameterSpec>& specs);

class PolicyHead {
 public:
  PolicyHead(const Parameters& parameters, const ActionSpace& space);

  // [B, inputs] to [B, num_outputs(space)].
  at::Tensor operator()(const at::Tensor& features) const;

 private:
  Layer layer_;
  at::Tensor log_std_;  // of a continuous space, else undefined
};

}  // namespace plr::learn
