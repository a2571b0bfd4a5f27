// The agent's policy: samples actions for batches of observations.
//
// Actions are sampled with numbers of the caller's random stream, so that a run repeats on any
// device that computes the same logits:
//
//   Policy policy(*backend, {.score_function = ScoreFunction::kPolicyEntropy}, num_slots);
//   for (double& u : uniforms) u = actions_stream.uniform();
//   policy.act(rollout.take_obs(t, 0, num_slots), uniforms,
//              {rollout.actions[t], rollout.log_probs[t], rollout.values[t], terms});
//
// The smallest action whose cumulative probability exceeds u is taken.  This class checks and
// copies arrays; the backend's Inference (inference.h) computes.
//
// The backend must outlive it.  Movable, not copyable.  Not thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "plr/learn/backend.h"
#include "plr/learn/inference.h"

namespace plr::learn {

// The caller's arrays, one element per observation; `terms` may be empty if they are not needed.
struct Decisions {
  std::span<std::int32_t> actions;
  std::span<float> log_probs;
  std::span<float> values;
  std::span<float> terms;
};

class Policy {
 public:
  // For at most `max_batch` observations at a time.
  Policy(Backend& backend, const PolicyConfig& config, std::size_t max_batch);

  // Acts on bytes [B, H, W, C] on any device with one number of [0, 1) for each: submit() and
  // collect().  Throws std::invalid_argument if an array's length is not B or B is above max_batch.
  void act(const at::Tensor& obs, std::span<const double> uniforms, const Decisions& out);

  // Enqueues inference and returns; at most one batch is in flight.
  void submit(const at::Tensor& obs, std::span<const double> uniforms);
  // Whether the results can be collected without waiting.
  bool ready() { return inference_->ready(); }
  // Waits for the results of the last submit() and copies them.
  void collect(const Decisions& out);
  // The same for the values alone, as for the observations that follow a rollout's last step.
  void collect_values(std::span<float> values);

  // Call this when the network's weights have changed since the last submit().
  void refresh() { inference_->refresh(); }

 private:
  void check(std::size_t length, const char* name) const;

  std::unique_ptr<Inference> inference_;
  std::size_t max_batch_;
  std::size_t num_submitted_ = 0;
};

}  // namespace plr::learn
