// The memory of inference for N slots that host and device share.
//
// The addresses never change, so that kernels and CUDA graphs may refer to them.  A copy shares the
// memory.  Different slots may be read and written by different threads at the same time.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "plr/collect/inference_types.h"
#include "plr/learn/network.h"

namespace plr::learn {

struct InferenceBuffers {
  InferenceBuffers(const Network& network, std::size_t num_slots);

  std::span<std::uint8_t> observations() const;
  std::span<collect::InferenceResult> results() const;
  std::span<const float> wide_actions() const;

  // In host memory, pinned with CUDA.
  at::Tensor host_obs;           // [N, H, W, C] bytes or floats
  at::Tensor host_results;       // [N, 4] floats: InferenceResult
  at::Tensor host_wide_actions;  // [N, W] floats; W is 0 if the space is discrete
};

}  // namespace plr::learn
