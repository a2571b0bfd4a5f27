// The grid CNN's heads: from the partial sums of the hidden units to logits and value, and back.
//
// heads_forward: a warp per sample, 8 warps a thread block, no shared memory.  A lane owns 4 of the
// 128 hidden units; each output is a sum over the lanes.
//
// heads_backward: a thread block of 128 threads per kHeadSamples samples; shared memory has their
// output gradients.  A thread owns one hidden unit and the head weights that lead from it, and
// writes the unit's gradients and its share of one HeadPartial.

#include <cuda_runtime.h>

#include "plr/learn/cuda/common/sample_action.cuh"
#include "plr/learn/cuda/grid_cnn/kernels.h"

namespace plr::cuda::grid_cnn {
namespace {

// ---- forward -----------------------------------------------------------------------------------

constexpr int kWarps = 8;

__global__ void __launch_bounds__(32 * kWarps)
    heads_forward(TrainPass pass, SavedActivations saved, int num_partials, float* logits,
                  float* value) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int sample = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x / 32);
  if (sample >= pass.batch) return;
  const Weights& w = pass.weights;
  float unit[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int u = i * 32 + lane;
    float sum = (i < 2 ? w.actor_bias : w.critic_bias)[u % kHidden];
    for (int k = 0; k < num_partials; ++k) {
      sum += saved.unit_partials[(static_cast<std::int64_t>(k) * pass.batch + sample) * kUnits + u];
    }
    unit[i] = tanhf(sum);
    saved.units[static_cast<std::int64_t>(sample) * kUnits + u] = unit[i];
  }
  const float estimate = warp_sum((pass.shared_hidden ? unit[0] : unit[2]) * w.value[lane] +
                                  (pass.shared_hidden ? unit[1] : unit[3]) * w.value[lane + 32]);
  if (lane == 0) value[sample] = estimate + w.value_bias[0];
  float logit = 0;
  const int actions = pass.shape.num_actions;
#pragma unroll 4
  for (int a = 0; a < actions; ++a) {
    const float* row = w.policy + a * kHidden;
    const float sum = warp_sum(unit[0] * row[lane] + unit[1] * row[lane + 32]);
    if (lane == a) logit = sum + w.policy_bias[a];
  }
  if (lane < actions) logits[static_cast<std::int64_t>(sample) * actions + lane] = logit;
}

// ---- backward ----------------------------------------------------------------------------------

template <int MAX_ACTIONS>
__global__ void __launch_bounds__(kUnits)
    heads_backward(TrainPass pass, SavedActivations saved, const float* logits_grad,
                   const float* value_grad, BackwardScratch scratch) {
  __shared__ float grad[kHeadSamples]
                       [MAX_ACTIONS + 1];  // the value's is last; zeros where there is none
  const int u = static_cast<int>(threadIdx.x);
  const int actions = pass.shape.num_actions;
  const int first = static_cast<int>(blockIdx.x) * kHeadSamples;
  for (int i = u; i < kHeadSamples * (MAX_ACTIONS + 1); i += kUnits) {
    const int sample = first + i / (MAX_ACTIONS + 1);
    const int a = i % (MAX_ACTIONS + 1);
    float g = 0;
    if (sample < pass.batch) {
      if (a < actions) g = logits_grad[static_cast<std::int64_t>(sample) * actions + a];
      if (a == MAX_ACTIONS) g = value_grad[sample];
    }
    grad[i / (MAX_ACTIONS + 1)][a] = g;
  }

  // Weights are zero for heads that the unit does not lead to.
  const bool is_actor = u < kHidden;
  const bool is_critic = pass.shared_hidden ? is_actor : !is_actor;
  float weight[MAX_ACTIONS];
#pragma unroll
  for (int a = 0; a < MAX_ACTIONS; ++a) {
    weight[a] = is_actor && a < actions ? pass.weights.policy[a * kHidden + u] : 0;
  }
  const float value_weight = is_critic ? pass.weights.value[u % kHidden] : 0;
  __syncthreads();

  float policy_sum[MAX_ACTIONS] = {};
  float value_sum = 0;
  float bias_sum = 0;
  const int count = min(kHeadSamples, pass.batch - first);
  const std::int64_t at = static_cast<std::int64_t>(first) * kUnits + u;
#pragma unroll 8
  for (int s = 0; s < count; ++s) {
    const float unit = saved.units[at + s * kUnits];
    float sum = grad[s][MAX_ACTIONS] * value_weight;
    value_sum = fmaf(grad[s][MAX_ACTIONS], unit, value_sum);
#pragma unroll
    for (int a = 0; a < MAX_ACTIONS; ++a) {
      sum = fmaf(grad[s][a], weight[a], sum);
      policy_sum[a] = fmaf(grad[s][a], unit, policy_sum[a]);
    }
    sum *= 1 - unit * unit;
    bias_sum += sum;
    scratch.units_grad[at + s * kUnits] = __float2bfloat16_rn(sum);
  }

  const HeadPartial partial(actions);
  float* to = scratch.head_partials + static_cast<std::int64_t>(blockIdx.x) * partial.size;
  if (is_actor) {
#pragma unroll
    for (int a = 0; a < MAX_ACTIONS; ++a) {
      if (a < actions) to[partial.policy + a * kHidden + u] = policy_sum[a];
    }
  }
  if (is_critic) to[partial.value + u % kHidden] = value_sum;
  to[partial.units_bias + u] = bias_sum;
  if (u <= actions) {
    float sum = 0;
    for (const auto& sample_grad : grad) sum += sample_grad[u < actions ? u : MAX_ACTIONS];
    to[u < actions ? partial.policy_bias + u : partial.value_bias] = sum;
  }
}

}  // namespace

void launch_heads_forward(const TrainPass& pass, const SavedActivations& saved, float* logits,
                          float* value, void* stream) {
  heads_forward<<<(pass.batch + kWarps - 1) / kWarps, 32 * kWarps, 0,
                  static_cast<cudaStream_t>(stream)>>>(
      pass, saved, num_unit_partials(pass.batch, pass.shape.num_features()), logits, value);
}

void launch_heads_backward(const TrainPass& pass, const SavedActivations& saved,
                           const float* logits_grad, const float* value_grad,
                           const BackwardScratch& scratch, void* stream) {
  const int actions = pass.shape.num_actions;
  const auto kernel = actions <= 8    ? heads_backward<8>
                      : actions <= 16 ? heads_backward<16>
                                      : heads_backward<32>;
  kernel<<<(pass.batch + kHeadSamples - 1) / kHeadSamples, kUnits, 0,
           static_cast<cudaStream_t>(stream)>>>(pass, saved, logits_grad, value_grad, scratch);
}

}  // namespace plr::cuda::grid_cnn
