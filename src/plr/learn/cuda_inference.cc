#include "plr/learn/cuda_inference.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <stdexcept>

#include "plr/learn/device_stream.h"

namespace plr::learn {
namespace {

// Stands for a number that is not written yet: a NaN that no computation produces.
constexpr std::uint32_t kPending = 0xffffffff;
// Polls before the device is asked whether it has failed; some milliseconds.
constexpr int kPollsBeforeCheck = 1 << 17;

bool is_written(InferenceResult& result) {
  const auto is_number_written = [](float& x) {
    const float now = std::atomic_ref(x).load(std::memory_order_acquire);
    return std::bit_cast<std::uint32_t>(now) != kPending;
  };
  return is_number_written(result.action) && is_number_written(result.log_prob) &&
         is_number_written(result.value) && is_number_written(result.term);
}

cuda::PolicyTerm to_policy_term(ScoreFunction function) {
  switch (function) {
    case ScoreFunction::kPolicyEntropy:
      return cuda::PolicyTerm::kEntropy;
    case ScoreFunction::kLeastConfidence:
      return cuda::PolicyTerm::kLeastConfidence;
    case ScoreFunction::kMinMargin:
      return cuda::PolicyTerm::kMinMargin;
    default:
      return cuda::PolicyTerm::kNone;
  }
}

}  // namespace

CudaInference::CudaInference(const Network& network, NativeInference& kernels,
                             const PolicyConfig& config, std::size_t max_batch)
    : network_(network), kernels_(kernels), config_(config), buffers_(network, max_batch) {}

void CudaInference::submit(const at::Tensor& obs, std::span<const double> uniforms) {
  const c10::InferenceMode inference;
  batch_ = uniforms.size();
  num_polls_ = 0;
  buffers_.set_uniforms(uniforms);
  // Kernels read observations that are on the device already where they are.
  const bool in_place = obs.device() == buffers_.obs.device();
  const at::Tensor device_obs = in_place ? obs : buffers_.obs.narrow(0, 0, obs.size(0));
  if (!in_place) device_obs.copy_(obs, /*non_blocking=*/true);
  const std::span<InferenceResult> results = buffers_.results(batch_);
  std::ranges::fill(
      results, std::bit_cast<InferenceResult>(std::array{kPending, kPending, kPending, kPending}));
  kernels_.infer({.obs = device_obs.const_data_ptr<std::uint8_t>(),
                  .uniforms = buffers_.host_uniforms.const_data_ptr<double>(),
                  .results = results.data(),
                  .device_uniforms = buffers_.uniforms.mutable_data_ptr<double>(),
                  .batch = static_cast<int>(batch_),
                  .num_actions = static_cast<int>(network_.shape().num_actions),
                  .greedy = config_.greedy,
                  .term = to_policy_term(config_.score_function)});
}

bool CudaInference::ready() {
  const std::span<InferenceResult> results = buffers_.results(batch_);
  if (std::ranges::all_of(results, is_written)) return true;
  if (++num_polls_ < kPollsBeforeCheck) return false;
  synchronize(network_.device());  // throws if the device has failed
  if (std::ranges::all_of(results, is_written)) return true;
  throw std::runtime_error("the device has finished inference without writing its results");
}

std::span<const InferenceResult> CudaInference::collect() {
  while (!ready()) {
  }
  return buffers_.results(batch_);
}

}  // namespace plr::learn
