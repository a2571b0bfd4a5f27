// Adam (Kingma and Ba 2015) after clipping the gradient by its global norm.
//
// Works on the flat buffers of Parameters: one pass for the norm, one for everything else, without
// waiting for the device.
//
//   Adam adam(network.parameters(), {.learning_rate = 7e-4});
//   loss.backward();
//   adam.step(loss, broken, norm);
//
// Backend::step() (backend.h) takes the same step, by libtorch or by native kernels.
//
// Keeps a reference to the parameters, whose values it changes.  Movable.  Not thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "plr/base/fields.h"
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

  double grad_norm_epsilon = 1e-6;
  static constexpr Field kGradNormEpsilon{
      &AdamConfig::grad_norm_epsilon, "grad_norm_epsilon", at_least(0),
      "added to the norm by which a longer gradient is scaled; 0 in JaxUED"};

  static constexpr std::tuple kFields{kLearningRate, kBeta1,       kBeta2,
                                      kEpsilon,      kMaxGradNorm, kGradNormEpsilon};
};

// The optimizer's state, on the parameters' device.
struct AdamState {
  at::Tensor first_moment;   // flat, as Parameters::values(); "m"
  at::Tensor second_moment;  // likewise; "v"
  at::Tensor num_steps;      // [] float: steps that were applied
  at::Tensor learning_rate;  // [] double, on the device, so that CUDA graphs read the current one
};

class Adam {
 public:
  // Throws std::invalid_argument naming a bad field.
  Adam(Parameters& parameters, const AdamConfig& config);

  // Clips parameters.grads(), applies them, and writes their norm before clipping to `norm`, all by
  // libtorch.  The three tensors are floats [] on the device.  Changes no weight if `broken` is 1,
  // or becomes 1 because the loss or the gradient is not finite.
  void step(const at::Tensor& loss, const at::Tensor& broken, const at::Tensor& norm);

  // The learning rate of all later steps; the configured one until then.
  void set_learning_rate(double rate);

  // How many steps were applied; waits for the device.
  std::int64_t num_steps() const;

  // Both moments by parameter ("adam.m/conv1.w", "adam.v/conv1.w") and "adam.step", as views.
  std::vector<NamedTensor> named_state() const;

  AdamState& state() { return state_; }
  const AdamConfig& config() const { return config_; }
  Parameters& parameters() { return parameters_; }

 private:
  Parameters& parameters_;
  AdamConfig config_;
  AdamState state_;
};

}  // namespace plr::learn
