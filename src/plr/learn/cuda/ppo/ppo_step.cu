// Kernels around the network in a PPO update.
//
// gather_samples: a thread block of 128 threads per sample of the mini-batch copies its
// observation, in
//   words as large as the observation's size allows, and its columns.
// compute_loss: a thread per sample, 128 per thread block.  Each thread writes its sample's
// gradients; the
//   sums are reduced per thread block in shared memory, and by the last thread block over all of
//   them, in order (grid_reduce.cuh).
// store_losses_row: one thread block, a thread per column.

#include <cuda_runtime.h>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/grid_reduce.cuh"
#include "plr/learn/cuda/ppo/ppo_step.h"

namespace plr::cuda {
namespace {

constexpr int kThreads = 128;

// ---- gather ------------------------------------------------------------------------------------

template <class Word>
__global__ void __launch_bounds__(kThreads) gather_samples(GatherJob job) {
  const auto row = static_cast<std::int64_t>(blockIdx.x);
  const std::int64_t sample = job.permutations[*job.position * job.batch + row];
  const std::int64_t words = job.obs_bytes / static_cast<std::int64_t>(sizeof(Word));
  const auto* from = reinterpret_cast<const Word*>(job.obs) + sample * words;
  auto* to = reinterpret_cast<Word*>(job.out_obs) + row * words;
  for (std::int64_t i = threadIdx.x; i < words; i += kThreads) to[i] = from[i];
  if (threadIdx.x >= SampleColumn::kCount) return;
  const float x = job.samples[sample * SampleColumn::kCount + threadIdx.x];
  if (threadIdx.x == SampleColumn::kAction) {
    job.out_actions[row] = static_cast<std::int64_t>(x);
  } else {
    job.out_columns[(threadIdx.x - 1) * job.batch + row] = x;
  }
}

// ---- loss --------------------------------------------------------------------------------------

// The value loss, and its gradient in `slope`.  With clipping it is the larger of the plain and the
// clipped error; if they are equal libtorch takes half of each gradient.
__device__ float value_loss(const LossJob& job, float value, float old_value, float target,
                            float& slope) {
  const float error = value - target;
  slope = error;
  if (!job.clip_value_loss) return 0.5F * error * error;
  const float moved = value - old_value;
  const bool is_within_clip = moved >= -job.clip && moved <= job.clip;
  const float clipped_error = old_value + fminf(fmaxf(moved, -job.clip), job.clip) - target;
  const float plain = error * error;
  const float clipped = clipped_error * clipped_error;
  const float share = plain > clipped ? 1.0F : plain == clipped ? 0.5F : 0.0F;
  slope = share * error + (1 - share) * (is_within_clip ? clipped_error : 0.0F);
  return 0.5F * (plain < clipped ? clipped : plain);
}

// The loss of sample i and its gradients.
__device__ void sample_loss(const LossJob& job, int i, float (&sums)[LossSum::kCount]) {
  const float* logits = job.logits + static_cast<std::int64_t>(i) * job.num_actions;
  float* logits_grad = job.logits_grad + static_cast<std::int64_t>(i) * job.num_actions;
  float largest = -INFINITY;
  for (int a = 0; a < job.num_actions; ++a) largest = fmaxf(largest, logits[a]);
  float total = 0;
  for (int a = 0; a < job.num_actions; ++a) total += expf(logits[a] - largest);
  const float log_total = logf(total);
  float entropy = 0;
  for (int a = 0; a < job.num_actions; ++a) {
    const float log_prob = logits[a] - largest - log_total;
    entropy -= expf(log_prob) * log_prob;
  }

  const auto action = static_cast<int>(job.actions[i]);
  const float log_ratio = logits[action] - largest - log_total - job.old_log_probs[i];
  const float ratio = expf(log_ratio);
  const float clipped = fminf(fmaxf(ratio, 1 - job.clip), 1 + job.clip);
  const float advantage = job.advantages[i];
  const bool has_gradient = ratio == clipped || ratio * advantage < clipped * advantage;
  const float scale = 1.0F / static_cast<float>(job.batch);
  const float slope = has_gradient ? -scale * ratio * advantage : 0.0F;
  for (int a = 0; a < job.num_actions; ++a) {
    const float log_prob = logits[a] - largest - log_total;
    const float p = expf(log_prob);
    logits_grad[a] = slope * ((a == action ? 1.0F : 0.0F) - p) +
                     job.entropy_coef * scale * p * (log_prob + entropy);
  }
  float value_slope = 0;
  sums[LossSum::kValueLoss] =
      value_loss(job, job.values[i], job.old_values[i], job.returns[i], value_slope);
  job.values_grad[i] = job.value_coef * scale * value_slope;
  // Written so that NaN propagates.
  sums[LossSum::kPolicyLoss] =
      clipped * advantage < ratio * advantage ? -clipped * advantage : -ratio * advantage;
  sums[LossSum::kEntropy] = entropy;
  sums[LossSum::kClipped] = fabsf(ratio - 1) > job.clip ? 1.0F : 0.0F;
  sums[LossSum::kKl] = ratio - 1 - log_ratio;
}

__global__ void __launch_bounds__(kThreads) compute_loss(LossJob job) {
  float sums[LossSum::kCount] = {};
  const int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  if (i < job.batch) sample_loss(job, i, sums);
  block_sum<kThreads>(sums);
  if (threadIdx.x == 0) {
    for (int s = 0; s < LossSum::kCount; ++s)
      job.partial_sums[blockIdx.x * LossSum::kCount + s] = sums[s];
  }
  if (!is_last_block(job.blocks_done) || threadIdx.x != 0) return;
  float mean[LossSum::kCount] = {};
  for (unsigned b = 0; b < gridDim.x; ++b) {
    for (int s = 0; s < LossSum::kCount; ++s)
      mean[s] += __ldcg(job.partial_sums + b * LossSum::kCount + s);
  }
  for (float& x : mean) x /= static_cast<float>(job.batch);
  const float extra = job.extra == nullptr ? 0.0F : *job.extra;
  const float total = mean[LossSum::kPolicyLoss] + job.value_coef * mean[LossSum::kValueLoss] -
                      job.entropy_coef * mean[LossSum::kEntropy] + extra;
  job.losses[LossColumn::kValueLoss] = mean[LossSum::kValueLoss];
  job.losses[LossColumn::kPolicyLoss] = mean[LossSum::kPolicyLoss];
  job.losses[LossColumn::kEntropy] = mean[LossSum::kEntropy];
  job.losses[LossColumn::kExtraLoss] = extra;
  job.losses[LossColumn::kTotal] = total;
  job.losses[LossColumn::kClipFraction] = mean[LossSum::kClipped];
  job.losses[LossColumn::kApproxKl] = mean[LossSum::kKl];
}

__global__ void store_losses_row(const float* losses, float* table, std::int64_t* position) {
  const std::int64_t row = *position;
  table[row * LossColumn::kCount + threadIdx.x] = losses[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) *position = row + 1;
}

}  // namespace

int loss_blocks(int batch) { return (batch + kThreads - 1) / kThreads; }

void gather(const GatherJob& job, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  const auto blocks = static_cast<unsigned>(job.batch);
  if (job.obs_bytes % 16 == 0) {
    gather_samples<uint4><<<blocks, kThreads, 0, queue>>>(job);
  } else if (job.obs_bytes % 4 == 0) {
    gather_samples<unsigned><<<blocks, kThreads, 0, queue>>>(job);
  } else {
    gather_samples<std::uint8_t><<<blocks, kThreads, 0, queue>>>(job);
  }
  check(cudaGetLastError(), "gathering a mini-batch");
}

void ppo_loss(const LossJob& job, void* stream) {
  compute_loss<<<static_cast<unsigned>(loss_blocks(job.batch)), kThreads, 0,
                 static_cast<cudaStream_t>(stream)>>>(job);
  check(cudaGetLastError(), "PPO loss");
}

void store_losses(const float* losses, float* table, std::int64_t* position, void* stream) {
  store_losses_row<<<1, LossColumn::kCount, 0, static_cast<cudaStream_t>(stream)>>>(losses, table,
                                                                                    position);
  check(cudaGetLastError(), "storing the losses");
}

}  // namespace plr::cuda
