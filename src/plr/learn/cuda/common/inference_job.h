// Inputs and outputs of the inference kernels of every network, from observations to actions.
//
// Plain numbers and pointers, so that neither the kernels nor the CUDA compiler depend on libtorch.
#pragma once

#include <cstdint>

#include "plr/learn/inference_result.h"

namespace plr::cuda {

// The function of the policy that a score function needs; the terms of core/episode_scorer.h.
enum class PolicyTerm : std::uint8_t { kNone, kEntropy, kLeastConfidence, kMinMargin };

// One batch of observations.
struct InferenceJob {
  const std::uint8_t* obs = nullptr;   // [batch, H, W, C] on the device
  const double* uniforms = nullptr;    // [batch] in pinned host memory: random numbers in [0, 1)
  learn::InferenceResult* results = nullptr;  // [batch] in pinned host memory, one store each
  // [batch] on the device.  The first kernel copies the uniforms there, since reading host memory
  // takes long and only the last kernel needs them.
  double* device_uniforms = nullptr;
  int batch = 0;
  int num_actions = 0;
  bool greedy = false;  // take the most probable action instead of sampling one
  PolicyTerm term = PolicyTerm::kNone;
};

}  // namespace plr::cuda
