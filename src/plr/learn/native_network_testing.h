// Forward and backward passes of a network for any loss, by libtorch or by native kernels.
//
//   TrainableNetwork network(make_grid_cnn_network(...), Kernels::kNative);
//   const ForwardPass pass = network.forward(obs);
//   network.backward(pass, pass.output.value.sum());       // adds to network.parameters().grads()
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <utility>

#include "plr/learn/native_network.h"

namespace plr::testing {

class TrainableNetwork {
 public:
  // REQUIRES: the network has native kernels unless `kernels` is kLibtorch.
  explicit TrainableNetwork(learn::Network network,
                            learn::Kernels kernels = learn::Kernels::kLibtorch)
      : network_(std::move(network)) {
    if (kernels != learn::Kernels::kLibtorch) {
      training_ = learn::make_native_training(network_, kernels);
    }
  }

  learn::ForwardPass forward(const at::Tensor& obs, const learn::Recurrence& recurrence = {}) {
    if (!training_) {
      return {.output = network_.forward(obs, recurrence), .more = {}, .saved = {}};
    }
    const at::Tensor on_device = network_.to_device(obs).contiguous();
    learn::SavedActivations saved = training_->forward(on_device, recurrence);
    const learn::Output output = training_->heads(saved);
    return {.output = output, .more = {}, .saved = std::move(saved)};
  }

  void backward(const learn::ForwardPass& pass, const at::Tensor& loss) {
    if (!training_) return loss.backward();
    training_->backward_from({loss}, {at::ones_like(loss)}, pass.saved);
  }

  learn::Parameters& parameters() { return network_.parameters(); }

 private:
  learn::Network network_;
  std::unique_ptr<learn::NativeTraining> training_;
};

}  // namespace plr::testing
