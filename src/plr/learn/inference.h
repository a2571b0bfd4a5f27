// Asynchronous inference: from a batch of observations to actions and values.
//
// A backend makes one Inference per group of slots, and Policy (policy.h) is the interface to it
// for the rest of the program:
//
//   inference->submit(obs, uniforms);       // enqueues; returns before the device is done
//   while (!inference->ready()) { ... }     // optional: do something else meanwhile
//   for (const InferenceResult& result : inference->collect()) ...
//
// At most one batch is in flight.  How completion is detected is up to the implementation: by a
// CUDA event (torch_inference.h) or by polling pinned memory (cuda_inference.h).
//
// Not copyable.  Not thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>

#include "plr/core/episode_scorer.h"
#include "plr/learn/inference_result.h"

namespace plr::learn {

struct PolicyConfig {
  // A score function of the policy itself needs a term of each step, which is computed too.
  ScoreFunction score_function = ScoreFunction::kValueL1;
  bool greedy = false;  // take the most probable action instead of sampling one
};

class Inference {
 public:
  Inference() = default;
  virtual ~Inference() = default;
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;

  // Enqueues the work that changed weights require.  Call it after every change.
  virtual void refresh() = 0;

  // Enqueues inference for bytes [B, H, W, C] on any device, with one number of [0, 1) each.  The
  // observations must stay unchanged until ready().
  // REQUIRES: B is at most the max_batch for which it was made; uniforms has B elements.
  virtual void submit(const at::Tensor& obs, std::span<const double> uniforms) = 0;

  // Whether collect() would return without waiting.  Throws std::runtime_error if the device has
  // failed.
  virtual bool ready() = 0;

  // Waits for the results of the last submit(); valid until the next one.
  virtual std::span<const InferenceResult> collect() = 0;
};

}  // namespace plr::learn
