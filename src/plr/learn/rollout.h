// A rollout: T steps of N slots, on which PPO updates the network.
//
// The collector fills a Rollout row by row, compute_advantages() completes it, and Ppo::update()
// learns from it.  Everything is a table [T, N] in host memory, except the observations: those are
// bytes on the network's device.
//
//   Rollout rollout({.num_steps = 256, .num_slots = 64}, network.shape(), device);
//   environment.step(..., rollout.host_obs());            // writes [N, H, W, C]
//   const at::Tensor obs = rollout.take_obs(t, 0, 64);    // the same on the device, as obs[t]
//   rollout.rewards[t][slot] = 1;
//
// Row t: on level levels[t][i], given obs[t][i], actions[t][i] was taken and earned rewards[t][i];
// if done[t][i], it ended the episode, and obs[t+1][i] is the first of the next one.
//
// Movable, not copyable.  Different slots may be written from different threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plr/learn/network.h"

namespace plr::learn {

// A table with a row per step and a column per slot.
template <class T>
class StepTable {
 public:
  StepTable(std::size_t rows, std::size_t num_slots)
      : num_slots_(num_slots), cells_(rows * num_slots) {}

  std::span<T> operator[](std::size_t row) { return all().subspan(row * num_slots_, num_slots_); }
  std::span<const T> operator[](std::size_t row) const {
    return all().subspan(row * num_slots_, num_slots_);
  }
  std::span<T> all() { return cells_; }
  std::span<const T> all() const { return cells_; }

 private:
  std::size_t num_slots_;
  std::vector<T> cells_;
};

struct RolloutSize {
  std::size_t num_steps = 256;  // "T"
  std::size_t num_slots = 64;   // "N"
};

class Rollout {
 public:
  Rollout(const RolloutSize& size, const NetworkShape& shape, at::Device device);

  Rollout(Rollout&&) = default;
  Rollout& operator=(Rollout&&) = default;
  Rollout(const Rollout&) = delete;
  Rollout& operator=(const Rollout&) = delete;

  std::size_t num_steps() const { return size_.num_steps; }
  std::size_t num_slots() const { return size_.num_slots; }
  std::size_t num_samples() const { return size_.num_steps * size_.num_slots; }

  // The environment's current observations, [N, H, W, C], which it writes; pinned memory with CUDA.
  std::span<std::uint8_t> host_obs();

  // Copies these slots of host_obs() to obs[step], step 0..T, and returns them there.  With CUDA
  // the copy is asynchronous: wait for the device, as Policy::act() does, before the environment
  // writes to host_obs() again.  Throws std::out_of_range.
  at::Tensor take_obs(std::size_t step, std::size_t first_slot, std::size_t count);

  const at::Tensor& obs() const { return obs_; }  // bytes [T+1, N, H, W, C] on the device

  StepTable<std::int32_t> actions;
  StepTable<float> log_probs;  // of the actions, when they were taken
  StepTable<float> values;     // [T+1, N], the network's when the actions were taken
  StepTable<float> rewards;
  StepTable<std::uint8_t> done;
  StepTable<std::uint64_t> levels;
  StepTable<float> advantages;  // this and the next are written by compute_advantages()
  StepTable<float> returns;     // the target of the value: advantage + value

 private:
  RolloutSize size_;
  at::Tensor obs_;
  at::Tensor host_obs_;  // bytes [N, H, W, C]
};

// Generalized advantages and returns of a filled rollout.
void compute_advantages(Rollout& rollout, double gamma, double lambda);

}  // namespace plr::learn
