// A backend computes a network's inference and its gradient steps.
//
// This is the seam between libtorch and native CUDA kernels.  Two implementations:
//
//   TorchBackend  libtorch, on any device                                      torch_backend.h
//   CudaBackend   native kernels for what they support of a network, its precision and the GPU,
//                 libtorch for the rest                                        cuda_backend.h
//
// make_backend() is the only place that chooses:
//
//   const std::unique_ptr<Backend> backend = make_backend(std::move(network), compute.kernels);
//   const auto inference = backend->make_inference({}, num_slots, rollout.tensors());
//   Ppo ppo(*backend, {.epochs = 4}, streams.named("minibatches"));    // gradient steps
//
// A gradient step is gather, forward, backward, step, store_losses, in this order.  Each function
// enqueues its work on the current stream of the device and does not wait, so that a step can be
// recorded as a CUDA graph (cuda_graph.h).
//
// A recurrent network differs in two places: inference keeps a state per slot, which an item tells
// whether an episode begins; and the rows of UpdateTensors::permutations are whole sequences, which
// gather() returns in time-major order with the states before them.
//
// Owns the network.  Not copyable.  Not thread-safe: one thread uses a backend and everything made
// from it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "plr/collect/inference.h"
#include "plr/learn/adam.h"
#include "plr/learn/compute.h"
#include "plr/learn/minibatch.h"
#include "plr/learn/network.h"
#include "plr/learn/policy_config.h"
#include "plr/learn/rollout.h"

namespace plr::learn {

struct PpoConfig;  // ppo.h

// What a native forward pass keeps for its backward pass; empty where libtorch's autograd does
// that.
struct SavedActivations {
  // The results of the native part: leaves of autograd, where libtorch's backward pass ends and the
  // native one begins.
  std::vector<at::Tensor> outputs;
  std::vector<at::Tensor> tensors;
  std::int64_t pass = 0;  // number of the forward pass
};

// The result of Backend::forward(), on which a loss is computed through autograd.
struct ForwardPass {
  Output output;  // of the mini-batch
  Output more;    // of further observations, if there were any
  SavedActivations saved;
};

class Backend {
 public:
  explicit Backend(Network network) : network_(std::move(network)) {}
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  Network& network() { return network_; }
  const Network& network() const { return network_; }

  // Whether native kernels compute the network's inference and its training.
  virtual bool is_native() const = 0;

  // Inference for the slots of an environment.  Every observation is copied to its step and slot of
  // rollout.obs, and the states of a recurrent network to rollout.first_state and rollout.state, as
  // far as these are defined.  The backend must outlive it.
  virtual std::unique_ptr<collect::Inference> make_inference(const PolicyConfig& config,
                                                             std::size_t num_slots,
                                                             const RolloutTensors& rollout) = 0;

  // The samples of the mini-batch at update.position.
  virtual Minibatch gather(const UpdateTensors& update) = 0;

  // The network's outputs for a mini-batch, and for further observations, in one pass; `more_obs`
  // may be undefined.
  // REQUIRES: more_obs is undefined if the network is recurrent.
  ForwardPass forward(const Minibatch& minibatch, const at::Tensor& more_obs = {});

  // Adds the gradients of PPO's loss to those of the network's parameters.  `extra_loss`, a scalar
  // computed from the pass's outputs, is added to the loss if it is defined.  Returns the losses
  // [LossColumn::kCount]; the gradient norm is still missing.
  virtual at::Tensor backward(const PpoConfig& config, const Minibatch& minibatch,
                              const ForwardPass& pass, const at::Tensor& extra_loss) = 0;

  // Clips the gradients and applies them by Adam; writes their norm before clipping into `losses`.
  // Changes no weight if `broken` is 1, or becomes 1 because the loss or the norm is not finite.
  virtual void step(const at::Tensor& losses, const at::Tensor& broken, Adam& adam) = 0;

  // Copies the losses to the row update.position of update.losses and increments the position.
  virtual void store_losses(const at::Tensor& losses, const UpdateTensors& update) = 0;

 private:
  // Outputs for all of `obs`, in ForwardPass::output.
  virtual ForwardPass forward_all(const at::Tensor& obs, const Recurrence& recurrence) = 0;

  Network network_;
};

// The states and resets of the sequences of a mini-batch, given its row of update.permutations;
// undefined if the network is not recurrent.
Recurrence gather_recurrence(const UpdateTensors& update, const at::Tensor& indices);

// CudaBackend where the program was built with native kernels, the GPU runs them (Ampere or newer),
// the network has observations of bytes and discrete actions, and `kernels` is not kLibtorch, else
// TorchBackend.  Throws std::invalid_argument if `kernels` is kNative or kPortable and libtorch
// would compute the network's inference or training.
std::unique_ptr<Backend> make_backend(Network network, Kernels kernels = Kernels::kAuto);

}  // namespace plr::learn
