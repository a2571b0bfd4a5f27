// How does a gradient change the weights?
//
// Adam (Kingma and Ba 2015) after clipping the gradient by its global norm, over the flat buffers
// of Parameters: one pass for the norm, one for everything else, and no waiting for the device.
//
//   Adam adam(network.parameters(), {.learning_rate = 7e-4});
//   loss.backward();
//   adam.step(loss, broken, norm);
//
// Movable; keeps a reference to the parameters.  Not synchronized.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "plr/base/fields.h"
#include "plr/learn/compute.h"
#include "plr/learn/parameters.h"

namespace plr::learn {

struct AdamConfig {
  double learning_rate = 5e-4;
  static constexpr Field kLearningRate{
      &AdamConfig::learning_rate, "learning_rate", above(0),
      "step size of Adam: 5e-4 in the paper for Procgen, 7e-4 for MiniGrid"};

  double beta1 = 0.9;
  static constexpr Field kBeta1{&AdamConfig::beta1, "adam_beta1", from_to_below(0, 1),
                                "decay of Adam's mean gradient"};

  double beta2 = 0.999;
  static constexpr Field kBeta2{&AdamConfig::beta2, "adam_beta2", from_to_below(0, 1),
                                "decay of Adam's mean squared gradient"};

  double epsilon = 1e-5;
  static constexpr Field kEpsilon{&AdamConfig::epsilon, "adam_epsilon", above(0),
                                  "added to the root of the mean squared gradient"};

  double max_grad_norm = 0.5;
  static constexpr Field kMaxGradNorm{&AdamConfig::max_grad_norm, "max_grad_norm", above(0),
                                      "longer gradients are scaled to this norm (E6)"};

  static constexpr std::tuple kFields{kLearningRate, kBeta1, kBeta2, kEpsilon, kMaxGradNorm};
};

class Adam {
 public:
  // Throws std::invalid_argument naming a bad field.
  Adam(const Parameters& parameters, const AdamConfig& config, Kernels kernels = Kernels::kAuto);

  // Clips parameters.grads(), applies them, and writes their length before that to `norm`.  All
  // three are floats on the device.  Changes no weight if `broken` is 1, or becomes 1 because the
  // loss or the gradient is not finite.
  void step(const at::Tensor& loss, const at::Tensor& broken, const at::Tensor& norm);

  // How many steps were applied; waits for the device.
  std::int64_t num_steps() const;

  // Both moments by parameter ("adam.m/conv1.w", "adam.v/conv1.w") and "adam.step", as views.
  std::vector<NamedTensor> state() const;

 private:
  void step_by_own_kernels(const at::Tensor& loss, const at::Tensor& broken,
                           const at::Tensor& norm);

  const Parameters& parameters_;
  AdamConfig config_;
  at::Tensor first_moment_;   // flat, "m"
  at::Tensor second_moment_;  // flat, "v"
  at::Tensor steps_;          // [] float: how many steps were applied
  at::Tensor num_done_;       // [1] int, of our own kernels; undefined without them
};

}  // namespace plr::learn
