#include "plr/learn/inference_buffers.h"

#include <ATen/ATen.h>

namespace plr::learn {

using collect::InferenceResult;

InferenceBuffers::InferenceBuffers(const Network& network, std::size_t num_slots) {
  const auto length = static_cast<std::int64_t>(num_slots);
  const NetworkShape& shape = network.shape();
  const bool pinned = network.device().is_cuda();
  host_obs = at::zeros({length, shape.height, shape.width, shape.channels},
                       at::TensorOptions(at::kByte).pinned_memory(pinned));
  host_results = at::zeros({length, 4}, at::TensorOptions(at::kFloat).pinned_memory(pinned));
}

std::span<std::uint8_t> InferenceBuffers::observations() const {
  return {host_obs.mutable_data_ptr<std::uint8_t>(), static_cast<std::size_t>(host_obs.numel())};
}

std::span<InferenceResult> InferenceBuffers::results() const {
  static_assert(sizeof(InferenceResult) == 4 * sizeof(float));
  return {static_cast<InferenceResult*>(host_results.mutable_data_ptr()),
          static_cast<std::size_t>(host_results.size(0))};
}

}  // namespace plr::learn
