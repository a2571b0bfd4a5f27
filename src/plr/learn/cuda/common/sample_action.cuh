// Action sampling: the last step of every inference kernel.
//
// A warp has the logits of one observation, those of action a in lane a, and writes the result. The
// cumulative probabilities are computed in double precision, as Policy does with libtorch: the
// action then depends on the logits and the uniform number alone.
//
// warp_sum() is not cub::WarpReduce: CUB adds lanes in another order, which would change the bits.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/inference_job.h"

namespace plr::cuda {

inline constexpr unsigned kWholeWarp = 0xffffffffU;

// Every lane gets the result.
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

// The sum over this lane and all lower lanes.
__device__ inline double warp_prefix_sum(double x, int lane) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const double lower = __shfl_up_sync(kWholeWarp, x, step);
    if (lane >= step) x += lower;
  }
  return x;
}

// policy_term() of core/episode_scorer.h.  p: this lane's probability, 0 in lanes without an
// action.
__device__ inline float policy_term(PolicyTerm term, float p, int num_actions) {
  switch (term) {
    case PolicyTerm::kEntropy:
      return -warp_sum(p > 0 ? p * logf(p) : 0.0F) / logf(static_cast<float>(num_actions));
    case PolicyTerm::kLeastConfidence:
      return 1 - warp_max(p);
    case PolicyTerm::kMinMargin: {
      const float best = warp_max(p);
      const unsigned lanes_of_best = __ballot_sync(kWholeWarp, p == best);
      const int lane = static_cast<int>(threadIdx.x % 32);
      const float second = warp_max(lane == __ffs(static_cast<int>(lanes_of_best)) - 1 ? 0.0F : p);
      return 1 - (best - second);
    }
    case PolicyTerm::kNone:
      break;
  }
  return 0;
}

// Samples the action of an item and writes its result.  All 32 lanes must call it; `logit` is read
// in lanes below num_actions, `value` in lane 0.
__device__ inline void sample_action(const InferenceJob& job, const collect::InferenceItem& item,
                                     float logit, float value) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const bool is_action = lane < job.num_actions;
  const float largest = warp_max(is_action ? logit : -INFINITY);

  // The smallest action whose cumulative probability exceeds the uniform number.
  const double weight = is_action ? exp(static_cast<double>(logit) - largest) : 0;
  const double cumulative = warp_prefix_sum(weight, lane);
  const double total = __shfl_sync(kWholeWarp, cumulative, 31);
  int action;
  if (job.greedy) {
    action = __ffs(static_cast<int>(__ballot_sync(kWholeWarp, is_action && logit == largest))) - 1;
  } else {
    const bool is_below = is_action && cumulative / total <= item.uniform;
    action = min(__popc(__ballot_sync(kWholeWarp, is_below)), job.num_actions - 1);
  }

  const float log_total = logf(warp_sum(is_action ? expf(logit - largest) : 0.0F));
  const float log_prob = logit - largest - log_total;
  const float term = policy_term(job.term, is_action ? expf(log_prob) : 0.0F, job.num_actions);
  const float action_log_prob = __shfl_sync(kWholeWarp, log_prob, action);
  if (lane == 0) {  // one store, for which the host polls; no fence, which would wait for the host
    asm volatile("st.volatile.global.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(job.results + item.slot),
                 "f"(static_cast<float>(action)), "f"(action_log_prob), "f"(value), "f"(term)
                 : "memory");
  }
}

}  // namespace plr::cuda
