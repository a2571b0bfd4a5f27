#include <cuda_runtime.h>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/grid_reduce.cuh"
#include "plr/learn/cuda/ppo/ppo_step.h"

namespace plr::cuda {
namespace {

constexpr int kThreads = 128;

// ---- gather ------------------------------------------------------------------------------------

// A block per sample, in words that divide an observation.
template <class Word>
__global__ void __launch_bounds__(kThreads) gather_samples(GatherJob job) {
  const auto row = static_cast<std::int64_t>(blockIdx.x);
  const std::int64_t sample = job.orders[*job.position * job.batch + row];
  const std::int64_t words = job.obs_bytes / static_cast<std::int64_t>(sizeof(Word));
  const auto* from = reinterpret_cast<const Word*>(job.obs) + sample * words;
  auto* to = reinterpret_cast<Word*>(job.out_obs) + row * words;
  for (std::int64_t i = threadIdx.x; i < words; i += kThreads) to[i] = from[i];
  if (threadIdx.x >= kSampleColumns) return;
  const float x = job.samples[sample * kSampleColumns + threadIdx.x];
  if (threadIdx.x == 0) {
    job.out_actions[row] = static_cast<std::int64_t>(x);
  } else {
    job.out_columns[(threadIdx.x - 1) * job.batch + row] = x;
  }
}

// ---- loss --------------------------------------------------------------------------------------

enum Sum { kValueLoss, kPolicyLoss, kEntropy, kClipped, kKl, kNumSums };

// The value's error, and its gradient in `slope`: that of the worse of two, where one is clipped;
// of equal ones libtorch takes half of each.
__device__ float value_loss(const LossJob& job, float value, float old_value, float target,
                            float& slope) {
  const float error = value - target;
  slope = error;
  if (!job.clip_value_loss) return 0.5F * error * error;
  const float moved = value - old_value;
  const bool is_near = moved >= -job.clip && moved <= job.clip;
  const float clipped_error = old_value + fminf(fmaxf(moved, -job.clip), job.clip) - target;
  const float plain = error * error;
  const float clipped = clipped_error * clipped_error;
  const float share = plain > clipped ? 1.0F : plain == clipped ? 0.5F : 0.0F;
  slope = share * error + (1 - share) * (is_near ? clipped_error : 0.0F);
  return 0.5F * (plain < clipped ? clipped : plain);
}

// A thread per sample.
__device__ void one_sample(const LossJob& job, int i, float (&sums)[kNumSums]) {
  const float* logits = job.logits + static_cast<std::int64_t>(i) * job.num_actions;
  float* d_logits = job.d_logits + static_cast<std::int64_t>(i) * job.num_actions;
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
  const bool moves = ratio == clipped || ratio * advantage < clipped * advantage;
  const float scale = 1.0F / static_cast<float>(job.batch);
  const float slope = moves ? -scale * ratio * advantage : 0.0F;
  for (int a = 0; a < job.num_actions; ++a) {
    const float log_prob = logits[a] - largest - log_total;
    const float p = expf(log_prob);
    d_logits[a] = slope * ((a == action ? 1.0F : 0.0F) - p) +
                  job.entropy_coef * scale * p * (log_prob + entropy);
  }
  float value_slope = 0;
  sums[kValueLoss] = value_loss(job, job.values[i], job.old_values[i], job.returns[i], value_slope);
  job.d_values[i] = job.value_coef * scale * value_slope;
  // Written so that what is not a number stays none.
  sums[kPolicyLoss] =
      clipped * advantage < ratio * advantage ? -clipped * advantage : -ratio * advantage;
  sums[kEntropy] = entropy;
  sums[kClipped] = fabsf(ratio - 1) > job.clip ? 1.0F : 0.0F;
  sums[kKl] = ratio - 1 - log_ratio;
}

__global__ void __launch_bounds__(kThreads) compute_loss(LossJob job) {
  float sums[kNumSums] = {};
  const int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  if (i < job.batch) one_sample(job, i, sums);
  block_sum<kThreads>(sums);
  if (threadIdx.x == 0) {
    for (int s = 0; s < kNumSums; ++s) job.partial_sums[blockIdx.x * kNumSums + s] = sums[s];
  }
  if (!is_last_block(job.num_done) || threadIdx.x != 0) return;
  float mean[kNumSums] = {};
  for (unsigned b = 0; b < gridDim.x; ++b) {
    for (int s = 0; s < kNumSums; ++s) mean[s] += __ldcg(job.partial_sums + b * kNumSums + s);
  }
  for (float& x : mean) x /= static_cast<float>(job.batch);
  const float extra = job.extra == nullptr ? 0.0F : *job.extra;
  const float total = mean[kPolicyLoss] + job.value_coef * mean[kValueLoss] -
                      job.entropy_coef * mean[kEntropy] + extra;
  job.losses[0] = mean[kValueLoss];
  job.losses[1] = mean[kPolicyLoss];
  job.losses[2] = mean[kEntropy];
  job.losses[3] = extra;
  job.losses[4] = total;
  job.losses[6] = mean[kClipped];
  job.losses[7] = mean[kKl];
}

__global__ void note_losses(const float* losses, float* table, std::int64_t* position) {
  const std::int64_t row = *position;
  table[row * kNumLosses + threadIdx.x] = losses[threadIdx.x];
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
  check(cudaGetLastError(), "the loss");
}

void note(const float* losses, float* table, std::int64_t* position, void* stream) {
  note_losses<<<1, kNumLosses, 0, static_cast<cudaStream_t>(stream)>>>(losses, table, position);
  check(cudaGetLastError(), "noting the losses");
}

}  // namespace plr::cuda
