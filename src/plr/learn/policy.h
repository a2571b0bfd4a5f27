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
// A discrete action is the smallest whose cumulative probability exceeds u; action_noise.h derives
// the numbers of other spaces from u.  Training uses the backend's inference directly (collect/);
// this class waits for its results.
//
// Slots that are not needed any more retire, so that the last long episodes of an evaluation cost
// little: batches have no retired slots where inference takes any batch, and otherwise fewer than a
// quarter of a batch has retired.
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
  std::span<Action> actions;  // the words that the environment takes, ActionSpace::size() per slot
  std::span<float> log_probs;
  std::span<float> values;
  std::span<float> terms;
};

class Policy {
 public:
  Policy(Backend& backend, const PolicyConfig& config, std::size_t num_slots);

  // The bytes of [N, H, W, C] elements, written by the caller.
  std::span<std::uint8_t> observations() { return inference_->observations(); }

  // Acts on the observations, with one number of [0, 1) for each.  The elements of retired slots
  // are not read or written.  Throws std::invalid_argument if an array's length is not the number
  // of slots.
  void act(std::span<const double> uniforms, const Decisions& out);

  // Marks the observation of a slot as the first of its episode, for the next act(); all are marked
  // at first.  Only recurrent networks need it.
  void begin_episode(std::size_t slot) { begins_episode_[slot] = true; }

  // The slot acts no more.
  void retire(std::size_t slot);

  // Call this when the network's weights have changed.
  void refresh();

 private:
  void check(std::size_t length, const char* name, std::size_t per_slot = 1) const;
  // Removes retired slots from the batches, where inference takes any batch or if they are at least
  // a quarter of a batch.
  void remove_retired();
  // The inference that computes, and the place of slots_[i] in it.
  collect::Inference& inference() { return packed_ ? *packed_ : *inference_; }
  std::size_t place_of(std::size_t i) const { return packed_ ? i : slots_[i]; }
  void wait(collect::InferenceResult& result);

  Backend* backend_;
  PolicyConfig config_;
  std::size_t num_slots_;
  std::vector<std::size_t> slots_;  // of a batch, in increasing order
  std::vector<bool> is_retired_;
  std::size_t num_retired_ = 0;  // of slots_
  std::vector<bool> begins_episode_;
  at::Tensor state_;                               // [batch, state_size], of a recurrent network
  std::unique_ptr<collect::Inference> inference_;  // of all slots
  // Of slots_ alone, where a batch must have all slots of an inference; null before slots retire.
  std::unique_ptr<collect::Inference> packed_;
};

}  // namespace plr::learn
