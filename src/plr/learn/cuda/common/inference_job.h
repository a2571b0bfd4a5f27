// What is asked of kernels that act on their own, from observations to decisions?
//
// Plain numbers and pointers, so that neither the kernels nor the compiler of CUDA meets libtorch.
#pragma once

#include <cstdint>

namespace plr::cuda {

// What is to be told of the policy besides the action; terms of core/episode_scorer.h.
enum class PolicyTerm : std::uint8_t { kNone, kEntropy, kLeastConfidence, kMinMargin };

struct alignas(16) InferenceResult {
  float action, log_prob, value, term;
};

struct InferenceJob {
  const std::uint8_t* obs = nullptr;   // [batch, H, W, C] on the device
  const double* uniforms = nullptr;    // [batch], this and the next in pinned host memory
  InferenceResult* results = nullptr;  // [batch], each written at once
  // [batch] on the device: the first kernel brings the uniforms there, since it takes long to fetch
  // them and the last one needs them last.
  double* device_uniforms = nullptr;
  int batch = 0;
  int num_actions = 0;
  bool greedy = false;
  PolicyTerm term = PolicyTerm::kNone;
};

}  // namespace plr::cuda
