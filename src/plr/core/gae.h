// Generalized advantage estimation (Schulman et al. 2016), backward over a rollout of T steps in N
// slots.
//
// done[t] says that step t ended the episode: later steps do not count. The last row of values
// bootstraps episodes that continue after the rollout.
//
//   compute_gae<float>(rewards, values, done, num_slots, 0.999F, 0.95F, advantages);
//
// O(T * N), does not allocate. Thread-safe for different outputs.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace plr {

template <class Real>
struct GaeStep {
  Real delta;      // reward + gamma * next_value - value
  Real advantage;  // delta + gamma * lambda * next_advantage
};

// One step backward. After a terminal step next_value and next_advantage are 0.
template <class Real>
constexpr GaeStep<Real> gae_step(Real reward, Real value, Real next_value, Real next_advantage,
                                 Real gamma, Real lambda) {
  const Real delta = reward + gamma * next_value - value;
  return {delta, delta + gamma * lambda * next_advantage};
}

// REQUIRES: the sizes in the brackets.
template <class Real>
void compute_gae(std::span<const Real> rewards,       // [T, N]
                 std::span<const Real> values,        // [T + 1, N]
                 std::span<const std::uint8_t> done,  // [T, N]
                 std::size_t num_slots, Real gamma, Real lambda,
                 std::span<Real> advantages) {  // [T, N]
  assert(values.size() == rewards.size() + num_slots && done.size() == rewards.size());
  for (std::size_t i = rewards.size(); i-- > 0;) {
    const std::size_t next = i + num_slots;
    const Real continues = done[i] != 0 ? Real{0} : Real{1};
    const Real later = next < advantages.size() ? advantages[next] : Real{0};
    advantages[i] =
        gae_step(rewards[i], values[i], continues * values[next], continues * later, gamma, lambda)
            .advantage;
  }
}

}  // namespace plr
