// Who computes what is around the network in a step of PPO?
//
// Kernels of our own (cuda/ppo/ppo_step.h, cuda/ppo/adam_step.h), on CUDA where the program was built with
// them:
//
//   if (auto own = OwnStep::on(device, kernels)) minibatch = own->gather(...);
//
// Everything is ordered for the device and can be repeated (repeated.h).  Movable.
#pragma once

#include <optional>

#include "plr/learn/adam.h"
#include "plr/learn/ppo.h"

namespace plr::learn {

class OwnStep {
 public:
  // Nothing without CUDA, or without kernels in this program, or if they are not wanted.
  static std::optional<OwnStep> on(at::Device device, Kernels kernels);

  // The samples of the mini-batch at `position`.
  Minibatch gather(const at::Tensor& obs, const at::Tensor& samples, const at::Tensor& orders,
                   const at::Tensor& position) const;

  // Adds the gradients of PPO's loss, with the extra term if it is defined, to those of the
  // network's parameters.  Returns PpoLosses as a row, the gradient's norm still missing.
  at::Tensor backward(const PpoConfig& config, const Minibatch& minibatch, const Output& output,
                      const at::Tensor& extra) const;

  // Puts such a row into the table at `position`, and moves that on.
  void note(const at::Tensor& losses, const at::Tensor& table, const at::Tensor& position) const;

 private:
  explicit OwnStep(at::Device device);

  at::Tensor num_done_;  // [1] int: of the loss's blocks
};

}  // namespace plr::learn
