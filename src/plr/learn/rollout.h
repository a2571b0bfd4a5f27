// A rollout: T steps of N slots, on which PPO updates the network.
//
// The collector fills a Rollout (collect/), compute_advantages() completes it, and Ppo::update()
// learns from it.  Everything is a table [T, N] in host memory, except the observations: those are
// bytes or floats on the network's device.
//
//   Rollout rollout({.num_steps = 256, .num_slots = 64}, network.shape(), device);
//   const auto inference = backend->make_inference({}, 64, rollout.tensors());   // fills them
//
// Row t: on level levels[t][i], given obs[t][i], actions[t][i] was taken and earned rewards[t][i];
// if done[t][i], it ended the episode, and obs[t+1][i] is the first of the next one.
//
// Movable, not copyable.  Not thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "plr/collect/step_tables.h"
#include "plr/env/slot_range.h"
#include "plr/learn/network.h"

namespace plr::learn {

// The tensors of a rollout that inference writes; each may be undefined.
struct RolloutTensors {
  at::Tensor obs = {};          // [T+1, N, H, W, C]; here N is the number of own slots
  at::Tensor first_state = {};  // [N, state_size], of a recurrent network
  at::Tensor state = {};        // likewise
};

struct RolloutSize {
  std::size_t num_steps = 256;  // "T"
  std::size_t num_slots = 64;   // "N"
  // The slots whose observations and states are here; nothing: all.  The tables have all slots.
  std::optional<SlotRange> own_slots = {};

  SlotRange own() const { return own_slots.value_or(SlotRange{0, static_cast<int>(num_slots)}); }
};

class Rollout : public collect::StepTables {
 public:
  // `state_size` is that of a recurrent network (network.h).
  Rollout(const RolloutSize& size, const NetworkShape& shape, at::Device device,
          std::int64_t state_size = 0);

  Rollout(Rollout&&) = default;
  Rollout& operator=(Rollout&&) = default;
  Rollout(const Rollout&) = delete;
  Rollout& operator=(const Rollout&) = delete;

  std::size_t num_steps() const { return size_.num_steps; }
  std::size_t num_slots() const { return size_.num_slots; }
  std::size_t num_samples() const { return size_.num_steps * size_.num_slots; }
  SlotRange own_slots() const { return size_.own(); }

  // Bytes or floats [T+1, own slots, H, W, C] on the device.
  const at::Tensor& obs() const { return obs_; }
  // Copies the bytes of [own slots, H, W, C] to obs[step], step 0..T, and waits for the device.
  void set_obs(std::size_t step, std::span<const std::uint8_t> bytes);

  // The states of a recurrent network [own slots, state_size], on the device: before the rollout's
  // first step and after its last.  Undefined for other networks.
  const at::Tensor& first_state() const { return first_state_; }
  const at::Tensor& state() const { return state_; }
  // What inference writes; see backend.h.
  RolloutTensors tensors() const { return {obs_, first_state_, state_}; }

  collect::StepTable<float> advantages;  // this and the next are written by compute_advantages()
  collect::StepTable<float> returns;     // the target of the value: advantage + value

 private:
  RolloutSize size_;
  at::Tensor obs_;
  at::Tensor first_state_;
  at::Tensor state_;
};

// Generalized advantages and returns of a filled rollout.
void compute_advantages(Rollout& rollout, double gamma, double lambda);

}  // namespace plr::learn
