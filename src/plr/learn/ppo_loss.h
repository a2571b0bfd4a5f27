// The terms of PPO's loss in libtorch's operations, each a scalar on the device.
//
// The loss is a weighted sum of the first three; the others are statistics.
#pragma once

#include <ATen/core/Tensor.h>

#include "plr/env/spaces.h"
#include "plr/learn/ppo.h"

namespace plr::learn {

struct PpoTerms {
  at::Tensor policy_loss;
  at::Tensor value_loss;
  at::Tensor entropy;
  at::Tensor clip_fraction;  // this and the next are outside autograd
  at::Tensor approx_kl;
};

PpoTerms ppo_terms(const PpoConfig& config, const ActionSpace& space, const Minibatch& minibatch,
                   const Output& output);

}  // namespace plr::learn
