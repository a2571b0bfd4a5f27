// The agent's policy: actions for the current observations of all slots.
//
// Actions are sampled with numbers of the caller's random stream, so that a run repeats on any
// device that computes the same logits:
//
//   Policy policy(*backend, {.greedy = false}, num_slots);
//   env.step(..., {policy.observations(), ...});          // the environment writes observations
//   for (double& u : uniforms) u = actions_stream.uniform();
//   policy.act(uniforms, {actions, log_probs, values, terms});
//
// The smallest action whose cumulative probability exceeds u is taken.  Training uses the backend's
// inference directly (collect/); this class waits for its results.
//
// The backend must outlive it.  Movable, not copyable.  Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plr/learn/backend.h"

namespace plr::learn {

// The caller's arrays, one element per slot; `terms` may be empty if they are not needed.
struct Decisions {
  std::span<std::int32_t> actions;
  std::span<float> log_probs;
  std::span<float> values;
  std::span<float> terms;
};

class Policy {
 public:
  Policy(Backend& backend, const PolicyConfig& config, std::size_t num_slots);

  // [N, H, W, C] bytes, written by the caller.
  std::span<std::uint8_t> observations() { return inference_->observations(); }

  // Acts on the observations, with one number of [0, 1) for each.  Throws std::invalid_argument if
  // an array's length is not the number of slots.
  void act(std::span<const double> uniforms, const Decisions& out);

  // Marks the observation of a slot as the first of its episode, for the next act(); all are marked
  // at first.  Only recurrent networks need it.
  void begin_episode(std::size_t slot) { begins_episode_[slot] = true; }

  // Call this when the network's weights have changed.
  void refresh() { inference_->refresh(); }

 private:
  void check(std::size_t length, const char* name) const;
  void wait(std::size_t slot);

  std::unique_ptr<collect::Inference> inference_;
  std::size_t num_slots_;
  std::vector<bool> begins_episode_;
};

}  // namespace plr::learn
