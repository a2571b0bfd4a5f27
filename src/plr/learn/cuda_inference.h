// Inference by native CUDA kernels, which write their results to pinned host memory.
//
// submit() fills the results with a NaN that no computation produces, and ready() polls until every
// number is overwritten: an event would add a few microseconds.  The host therefore sees each
// result as soon as its kernel has written it.
//
// Keeps references to the network and its kernels.  Not copyable.  Not thread-safe.
#pragma once

#include <cstddef>
#include <span>

#include "plr/learn/inference.h"
#include "plr/learn/inference_buffers.h"
#include "plr/learn/native_network.h"

namespace plr::learn {

class CudaInference : public Inference {
 public:
  CudaInference(const Network& network, NativeInference& kernels, const PolicyConfig& config,
                std::size_t max_batch);

  void refresh() override { kernels_.refresh(); }
  void submit(const at::Tensor& obs, std::span<const double> uniforms) override;
  bool ready() override;
  std::span<const InferenceResult> collect() override;

 private:
  const Network& network_;
  NativeInference& kernels_;
  PolicyConfig config_;
  InferenceBuffers buffers_;
  std::size_t batch_ = 0;  // of the last submit()
  int num_polls_ = 0;      // since the last submit()
};

}  // namespace plr::learn
