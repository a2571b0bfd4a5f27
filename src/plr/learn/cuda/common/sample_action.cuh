// What does an agent do, given its logits?
//
// The last step of every acting kernel: a warp holds the logits of one observation, action a in
// lane a, and writes what Policy needs to know.  The draw is made in double precision, as Policy's
// own is: it then depends on the logits alone.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/inference_job.h"

namespace plr::cuda {

inline constexpr unsigned kWholeWarp = 0xffffffffU;

template <class T>
__device__ inline T warp_sum(T x) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(kWholeWarp, x, step);
  return x;
}

__device__ inline float warp_max(float x) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(kWholeWarp, x, step));
  return x;
}

// The sum over this lane and all below.
__device__ inline double warp_prefix_sum(double x, int lane) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const double below = __shfl_up_sync(kWholeWarp, x, step);
    if (lane >= step) x += below;
  }
  return x;
}

// policy_term() of core/episode_scorer.h; lanes beyond the actions have probability 0.
__device__ inline float term_of(PolicyTerm term, float p, int num_actions) {
  switch (term) {
    case PolicyTerm::kEntropy:
      return -warp_sum(p > 0 ? p * logf(p) : 0.0F) / logf(static_cast<float>(num_actions));
    case PolicyTerm::kLeastConfidence:
      return 1 - warp_max(p);
    case PolicyTerm::kMinMargin: {
      const float best = warp_max(p);
      const unsigned holders = __ballot_sync(kWholeWarp, p == best);
      const int lane = static_cast<int>(threadIdx.x % 32);
      const float second = warp_max(lane == __ffs(static_cast<int>(holders)) - 1 ? 0.0F : p);
      return 1 - (best - second);
    }
    case PolicyTerm::kNone:
      break;
  }
  return 0;
}

// All 32 lanes call it.  `logit` counts in lanes below num_actions, `value` in lane 0.
__device__ inline void decide(const InferenceJob& job, int image, float logit, float value) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const bool is_action = lane < job.num_actions;
  const float largest = warp_max(is_action ? logit : -INFINITY);

  // The smallest action whose cumulative probability exceeds the number that was drawn.
  const double weight = is_action ? exp(static_cast<double>(logit) - largest) : 0;
  const double cumulative = warp_prefix_sum(weight, lane);
  const double total = __shfl_sync(kWholeWarp, cumulative, 31);
  int action;
  if (job.greedy) {
    action = __ffs(static_cast<int>(__ballot_sync(kWholeWarp, is_action && logit == largest))) - 1;
  } else {
    const bool passed = is_action && cumulative / total <= job.device_uniforms[image];
    action = min(__popc(__ballot_sync(kWholeWarp, passed)), job.num_actions - 1);
  }

  const float log_total = logf(warp_sum(is_action ? expf(logit - largest) : 0.0F));
  const float log_prob = logit - largest - log_total;
  const float term = term_of(job.term, is_action ? expf(log_prob) : 0.0F, job.num_actions);
  const float taken = __shfl_sync(kWholeWarp, log_prob, action);
  if (lane == 0) {
    *reinterpret_cast<float4*>(job.results + image) =
        make_float4(static_cast<float>(action), taken, value, term);
    __threadfence_system();  // the host looks out for it
  }
}

}  // namespace plr::cuda
