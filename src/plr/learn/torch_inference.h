// Inference by libtorch, for all slots of a group at a time (PolicyConfig::num_groups).
//
// On CUDA the operations are recorded as a CUDA graph per group; on the CPU submit() computes at
// once.  In double precision where the action is sampled, so that it depends on the logits alone
// and not on how a device sums.  The state of a recurrent network is kept here, or in the rollout.
//
// Keeps a reference to the network.  Not copyable.  Thread safety as of collect::Inference.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plr/collect/inference.h"
#include "plr/learn/cuda_graph.h"
#include "plr/learn/inference_buffers.h"
#include "plr/learn/network.h"
#include "plr/learn/policy_config.h"
#include "plr/learn/rollout.h"

namespace plr::learn {

class TorchInference : public collect::Inference {
 public:
  // Writes the tensors of `rollout` that are defined (backend.h).
  TorchInference(const Network& network, const PolicyConfig& config, std::size_t num_slots,
                 const RolloutTensors& rollout);

  std::span<std::uint8_t> observations() override { return buffers_.observations(); }
  std::span<collect::InferenceResult> results() override { return buffers_.results(); }
  std::span<const float> wide_actions() override { return buffers_.wide_actions(); }
  bool takes_any_batch() const override { return false; }
  std::size_t group_size() override { return results().size() / config_.num_groups; }
  std::size_t num_lanes() const override { return 1; }
  void refresh() override {}  // libtorch reads the weights themselves
  void submit(std::size_t lane, std::span<const collect::InferenceItem> items) override;
  void check_device() override;

 private:
  void compute(std::int64_t first, std::int64_t end);

  const Network& network_;
  PolicyConfig config_;
  InferenceBuffers buffers_;
  RolloutTensors rollout_;
  at::Tensor host_noise_;    // [N] doubles, [N, W] if not discrete, pinned with CUDA
  at::Tensor noise_;         // the same, this and the next three on the device
  at::Tensor obs_;           // [N, H, W, C] bytes or floats
  at::Tensor results_;       // [N, 4] floats
  at::Tensor wide_actions_;  // [N, W] floats if not discrete
  at::Tensor host_resets_;   // [1, N] floats, pinned with CUDA; this and the next for recurrence
  at::Tensor resets_;        // [1, N], this and the next on the device
  at::Tensor next_state_;    // [N, state_size]
  std::vector<CudaGraphRunner> graphs_;  // by group
};

}  // namespace plr::learn
