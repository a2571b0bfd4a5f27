#include "plr/learn/inference_buffers.h"

#include <ATen/ATen.h>

namespace plr::learn {

using collect::InferenceResult;

InferenceBuffers::InferenceBuffers(const Network& network, std::size_t num_slots) {
  const auto length = static_cast<std::int64_t>(num_slots);
  const NetworkShape& shape = network.shape();
  const bool pinned = network.device().is_cuda();
  host_obs = at::zeros({length, shape.height, shape.width, shape.channels},
                       at::TensorOptions(shape.obs_scalar()).pinned_memory(pinned));
  host_results = at::zeros({length, 4}, at::TensorOptions(at::kFloat).pinned_memory(pinned));
  host_wide_actions = at::zeros({length, static_cast<std::int64_t>(shape.actions.wide_size())},
                                at::TensorOptions(at::kFloat).pinned_memory(pinned));
}

std::span<std::uint8_t> InferenceBuffers::observations() const {
  return {static_cast<std::uint8_t*>(host_obs.mutable_data_ptr()), host_obs.nbytes()};
}

std::span<const float> InferenceBuffers::wide_actions() const {
  return {host_wide_actions.const_data_ptr<float>(),
          static_cast<std::size_t>(host_wide_actions.numel())};
}

std::span<InferenceResult> InferenceBuffers::results() const {
  static_assert(sizeof(InferenceResult) == 4 * sizeof(float));
  return {static_cast<InferenceResult*>(host_results.mutable_data_ptr()),
          static_cast<std::size_t>(host_results.size(0))};
}

}  // namespace plr::learn
