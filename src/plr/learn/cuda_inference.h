// Inference by native CUDA kernels, in batches of any slots.
//
// Kernels read observations directly from pinned host memory, copy them to the history, and write
// their results to pinned host memory, where the host sees each as soon as it is written: copies
// and events would add several microseconds each.  Every lane has a stream of its own, so that a
// small batch does not wait for the one before it.
//
// The state of a recurrent network is kept here, or in the rollout.
//
// Keeps a reference to the network.  Not copyable.  Thread safety as of
// collect::Inference.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAStream.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "plr/collect/inference.h"
#include "plr/learn/inference_buffers.h"
#include "plr/learn/native_network.h"
#include "plr/learn/policy_config.h"
#include "plr/learn/rollout.h"

namespace plr::learn {

class CudaInference : public collect::Inference {
 public:
  // Makes the kernels of a lane.
  using MakeKernels = std::function<std::unique_ptr<NativeInference>()>;

  // Writes the tensors of `rollout` that are defined (backend.h).
  CudaInference(const Network& network, const MakeKernels& make_kernels, const PolicyConfig& config,
                std::size_t num_slots, const RolloutTensors& rollout);

  std::span<std::uint8_t> observations() override { return buffers_.observations(); }
  std::span<collect::InferenceResult> results() override { return buffers_.results(); }
  bool takes_any_batch() const override { return true; }
  std::size_t num_lanes() const override { return lanes_.size(); }
  void refresh() override;
  void submit(std::size_t lane, std::span<const collect::InferenceItem> items) override;
  void check_device() override;

 private:
  static constexpr int kNumLanes = 4;

  // What one batch at a time uses.
  struct Lane {
    c10::cuda::CUDAStream stream;
    std::unique_ptr<NativeInference> kernels;
    at::Tensor host_items;    // [N] items, pinned
    at::Tensor device_items;  // [N] items
  };

  const Network& network_;
  InferenceBuffers buffers_;
  RolloutTensors rollout_;  // with a state of its own if the network needs one
  cuda::InferenceJob job_;  // except what belongs to a batch
  std::vector<Lane> lanes_;
};

}  // namespace plr::learn
