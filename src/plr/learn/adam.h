// How does a gradient change the weights?
//
// Adam (Kingma and Ba 2015) after clipping the gradient by its global norm, over the flat buffers
// of Parameters: one pass for the norm, one for everything else, and no waiting for the device.
//
//   Adam adam(network.parameters(), {.learning_rate = 7e-4});
//   loss.backward();
//   const at::Tensor norm = adam.grad_norm();
//   adam.step(norm, /*broken=*/at::zeros({}));
//
// Movable; keeps a reference to the parameters.  Not synchronized.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "plr/learn/parameters.h"

namespace plr {

struct AdamConfig {
  double learning_rate = 5e-4;  // the paper's for Procgen; 7e-4 for MiniGrid
  double beta1 = 0.9;           // how much of the mean gradient stays at a step
  double beta2 = 0.999;         // how much of the mean squared gradient stays at a step
  double epsilon = 1e-5;        // added to the root of the mean square before dividing by it
  double max_grad_norm = 0.5;   // longer gradients are shortened to this; infinity: never
};

class Adam {
 public:
  // Throws std::invalid_argument naming a bad field.
  Adam(const Parameters& parameters, const AdamConfig& config);

  // The length of parameters.grads(), a float on the device.
  at::Tensor grad_norm() const;

  // Applies parameters.grads(), whose length is `norm`, if `broken`, a float on the device, is 0;
  // does nothing if it is 1.  Leaves the gradients clipped.
  void step(const at::Tensor& norm, const at::Tensor& broken);

  // How many steps were applied; waits for the device.
  std::int64_t num_steps() const;

  // Both moments by parameter ("adam.m/conv1.w", "adam.v/conv1.w") and "adam.step", as views.
  std::vector<NamedTensor> state() const;

 private:
  const Parameters& parameters_;
  AdamConfig config_;
  at::Tensor first_moment_;   // flat, "m"
  at::Tensor second_moment_;  // flat, "v"
  at::Tensor steps_;          // [] float: how many steps were applied
};

}  // namespace plr
