// A network's inference and training by native CUDA kernels, for CudaBackend.
//
// An architecture with native kernels implements one or both of these interfaces and is listed in
// native_network.cc and kernel_choice.cc.  Both are bound to the parameters' memory: kernels read
// the weights there and add to the gradients there.  All functions enqueue work on the current
// stream of the device, do not wait, and throw std::runtime_error if CUDA refuses.
//
// They keep the network's parameters alive, not the network.  Not copyable.  Not thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "plr/learn/backend.h"
#include "plr/learn/cuda/common/inference_job.h"
#include "plr/learn/network.h"

namespace plr::learn {

class NativeInference {
 public:
  NativeInference() = default;
  virtual ~NativeInference() = default;
  NativeInference(const NativeInference&) = delete;
  NativeInference& operator=(const NativeInference&) = delete;

  // Takes over changed weights, where kernels use a copy in another layout.
  virtual void refresh() = 0;

  // From observations to actions, log-probabilities, values and policy terms.
  virtual void infer(const cuda::InferenceJob& job) = 0;
};

class NativeTraining {
 public:
  NativeTraining() = default;
  virtual ~NativeTraining() = default;
  NativeTraining(const NativeTraining&) = delete;
  NativeTraining& operator=(const NativeTraining&) = delete;

  // The forward pass of the native part, for contiguous bytes or floats [B, H, W, C] on the device,
  // and the recurrence of a recurrent network, whose observations are bytes.  The tensors of
  // SavedActivations::outputs are leaves of autograd.
  virtual SavedActivations forward(const at::Tensor& obs, const Recurrence& recurrence) = 0;

  // Logits [B, num_actions] and value [B] from the native part's outputs, through autograd.
  virtual Output heads(const SavedActivations& saved) const = 0;

  // Adds to the parameters' gradients, given the gradients of saved.outputs.
  virtual void backward(const SavedActivations& saved, const std::vector<at::Tensor>& grads) = 0;

  // Adds to the parameters' gradients, given those of some tensors computed from heads():
  // libtorch's backward pass down to saved.outputs, then the native one.
  void backward_from(const std::vector<at::Tensor>& tensors, const std::vector<at::Tensor>& grads,
                     const SavedActivations& saved);
};

// Null where choose_kernels() (kernel_choice.h) chooses libtorch.  Both compute what libtorch's
// layers compute, up to rounding: inference of the grid CNN and of the recurrent network in fp32,
// training of the recurrent network in the network's precision, all else in bf16 with sums in fp32.
std::unique_ptr<NativeInference> make_native_inference(const Network& network,
                                                       Kernels kernels = Kernels::kAuto);
// The same for thousands of slots. A recurrent network is computed with fp16 operands if its
// precision is bf16; null if it is not.
std::unique_ptr<NativeInference> make_native_inference_of_many(const Network& network,
                                                               Kernels kernels = Kernels::kAuto);
std::unique_ptr<NativeTraining> make_native_training(Network& network,
                                                     Kernels kernels = Kernels::kAuto);

}  // namespace plr::learn
