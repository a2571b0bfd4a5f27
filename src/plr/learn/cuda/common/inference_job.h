// Inputs and outputs of the inference kernels of every network, from observations to actions.
//
// Plain numbers and pointers, so that neither the kernels nor the CUDA compiler depend on libtorch.
#pragma once

#include <cstdint>

#include "plr/collect/inference_types.h"

namespace plr::cuda {

// The function of the policy that a score function needs; the terms of core/episode_scorer.h.
enum class PolicyTerm : std::uint8_t { kNone, kEntropy, kLeastConfidence, kMinMargin };

// One batch of observations.  Kernels read the observations directly from host memory.
struct InferenceJob {
  const std::uint8_t* host_obs = nullptr;  // [N, H, W, C] in pinned host memory, one per slot
  const collect::InferenceItem* items = nullptr;  // [batch] in pinned host memory
  // [batch] on the device.  The first kernel copies the items there, since reading host memory
  // takes long and the last kernel needs them too.
  collect::InferenceItem* device_items = nullptr;
  std::uint8_t* history = nullptr;  // [T+1, N, H, W, C] on the device, or null: not stored
  collect::InferenceResult* results = nullptr;  // [N] in pinned host memory, one store each
  // Of a recurrent network: [N, state_size] on the device.  The state of a slot before the first
  // step of a rollout is copied to first_state unless that is null.
  float* state = nullptr;
  float* first_state = nullptr;
  int num_slots = 0;
  int batch = 0;
  int num_actions = 0;
  bool greedy = false;  // take the most probable action instead of sampling one
  PolicyTerm term = PolicyTerm::kNone;
};

}  // namespace plr::cuda
