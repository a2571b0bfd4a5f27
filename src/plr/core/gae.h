// How much better did it go than the value function expected?
//
// Generalized advantage estimation (Schulman et al. 2016), backwards over a rollout of T steps in N
// slots.  done[t] says that step t ended the episode: nothing after it counts.  The last row of
// values bootstraps what goes on past the rollout's end.
//
//   compute_gae<float>(rewards, values, done, num_slots, 0.999F, 0.95F, advantages);
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace plr {

template <class Real>
void compute_gae(std::span<const Real> rewards,       // [T, N]
                 std::span<const Real> values,        // [T + 1, N]
                 std::span<const std::uint8_t> done,  // [T, N]
                 std::size_t num_slots, Real gamma, Real lambda,
                 std::span<Real> advantages) {  // [T, N]
  assert(values.size() == rewards.size() + num_slots && done.size() == rewards.size());
  for (std::size_t i = rewards.size(); i-- > 0;) {
    const std::size_t next = i + num_slots;
    const Real goes_on = done[i] != 0 ? Real{0} : Real{1};
    const Real later = next < advantages.size() ? advantages[next] : Real{0};
    const Real delta = rewards[i] + gamma * goes_on * values[next] - values[i];
    advantages[i] = delta + gamma * lambda * goes_on * later;
  }
}

}  // namespace plr
