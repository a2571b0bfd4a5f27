// Inference by libtorch.
//
// On CUDA the operations are recorded as one CUDA graph per batch size, and completion is an event
// behind it; on the CPU submit() computes at once.  In double precision where the action is
// sampled, so that it depends on the logits alone and not on how a device sums.
//
// Keeps a reference to the network.  Not copyable.  Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "plr/learn/cuda_graph.h"
#include "plr/learn/device_stream.h"
#include "plr/learn/inference.h"
#include "plr/learn/inference_buffers.h"
#include "plr/learn/network.h"

namespace plr::learn {

class TorchInference : public Inference {
 public:
  TorchInference(const Network& network, const PolicyConfig& config, std::size_t max_batch);

  void refresh() override {}  // libtorch reads the weights themselves
  void submit(const at::Tensor& obs, std::span<const double> uniforms) override;
  bool ready() override { return done_.ready(); }
  std::span<const InferenceResult> collect() override;

 private:
  void compute(std::int64_t batch);

  const Network& network_;
  PolicyConfig config_;
  InferenceBuffers buffers_;
  std::map<std::int64_t, CudaGraphRunner> graphs_;  // by batch size
  Event done_;
  std::size_t batch_ = 0;  // of the last submit()
};

}  // namespace plr::learn
