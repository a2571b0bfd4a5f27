#include "plr/learn/inference_buffers.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace plr::learn {

InferenceBuffers::InferenceBuffers(const Network& network, std::size_t max_batch) {
  const auto length = static_cast<std::int64_t>(max_batch);
  const NetworkShape& shape = network.shape();
  const bool pinned = network.device().is_cuda();
  host_uniforms = at::zeros({length}, at::TensorOptions(at::kDouble).pinned_memory(pinned));
  host_results = at::zeros({length, 4}, at::TensorOptions(at::kFloat).pinned_memory(pinned));
  uniforms = at::zeros({length}, at::TensorOptions(network.device()).dtype(at::kDouble));
  obs = at::zeros({length, shape.height, shape.width, shape.channels},
                  at::TensorOptions(network.device()).dtype(at::kByte));
}

void InferenceBuffers::set_uniforms(std::span<const double> given) {
  std::ranges::copy(given, host_uniforms.mutable_data_ptr<double>());
}

std::span<InferenceResult> InferenceBuffers::results(std::size_t batch) const {
  static_assert(sizeof(InferenceResult) == 4 * sizeof(float));
  return {static_cast<InferenceResult*>(host_results.mutable_data_ptr()), batch};
}

}  // namespace plr::learn
