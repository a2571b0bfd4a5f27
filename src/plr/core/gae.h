// How much better than expected did each action turn out?
//
// Generalized advantage estimation (Schulman et al. 2016), backwards in time:
//
//   delta_t = r_t + gamma V_{t+1} - V_t
//   A_t     = delta_t + gamma lambda A_{t+1}
//
// where everything after the end of an episode counts as zero.  The last row of `values` is what
// the network expects after the last step.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace plr {

template <class Real>
void compute_gae(std::span<const Real> rewards,       // [T, N]
                 std::span<const Real> values,        // [T+1, N]
                 std::span<const std::uint8_t> done,  // [T, N]: the step ended its episode
                 std::size_t num_slots, Real gamma, Real lambda,
                 std::span<Real> advantages) {  // [T, N]
  assert(values.size() == rewards.size() + num_slots);
  assert(done.size() == rewards.size() && advantages.size() == rewards.size());
  for (std::size_t i = rewards.size(); i-- > 0;) {
    const Real goes_on = done[i] != 0 ? Real{0} : Real{1};
    const Real later = i + num_slots < advantages.size() ? advantages[i + num_slots] : Real{0};
    const Real delta = rewards[i] + gamma * goes_on * values[i + num_slots] - values[i];
    advantages[i] = delta + gamma * lambda * goes_on * later;
  }
}

}  // namespace plr
