// The memory that every Inference keeps: inputs and results of at most max_batch observations.
//
// The addresses never change, so that CUDA graphs may refer to them.  Movable, not copyable in
// effect: a copy shares the memory.  Not thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <span>

#include "plr/learn/inference_result.h"
#include "plr/learn/network.h"

namespace plr::learn {

struct InferenceBuffers {
  InferenceBuffers(const Network& network, std::size_t max_batch);

  // Copies the uniforms of a batch to host_uniforms.
  void set_uniforms(std::span<const double> uniforms);

  // The first `batch` rows of host_results.
  std::span<InferenceResult> results(std::size_t batch) const;

  at::Tensor host_uniforms;  // [max_batch] doubles, this and the next pinned with CUDA
  at::Tensor host_results;   // [max_batch, 4] floats: InferenceResult
  at::Tensor uniforms;       // [max_batch] doubles, this and the next on the device
  at::Tensor obs;            // [max_batch, H, W, C] bytes
};

}  // namespace plr::learn
