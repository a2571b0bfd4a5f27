// Gradient clipping and Adam in two kernels.
//
// measure_gradient: kNormBlocks thread blocks of 256 threads sum the squares of the gradient, with
// a stride
//   of the whole grid; the last thread block reduces the partial sums in order and computes the
//   scales.
// apply_gradient: a thread per weight, 256 per thread block; no shared memory.

#include <cuda_runtime.h>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/grid_reduce.cuh"
#include "plr/learn/cuda/ppo/adam_step.h"

namespace plr::cuda {
namespace {

constexpr int kThreads = 256;

// Numbers that measure_gradient computes for all weights: indices of AdamJob::scales.
enum Scale { kDivisor, kRate, kRoot };

__global__ void __launch_bounds__(kThreads) measure_gradient(AdamJob job) {
  float sum[1] = {};
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
       i < job.length; i += kNormBlocks * kThreads) {
    sum[0] = fmaf(job.grads[i], job.grads[i], sum[0]);
  }
  block_sum<kThreads>(sum);
  if (threadIdx.x == 0) job.partial_sums[blockIdx.x] = sum[0];
  if (!is_last_block(job.blocks_done)) return;
  float partials[1] = {threadIdx.x < kNormBlocks ? __ldcg(job.partial_sums + threadIdx.x) : 0.0F};
  block_sum<kThreads>(partials);
  if (threadIdx.x != 0) return;
  const float norm = sqrtf(partials[0]);
  *job.norm = norm;
  if (!isfinite(*job.loss + norm)) *job.broken = 1;
  const float steps = *job.steps + 1 - *job.broken;
  *job.steps = steps;
  const auto max_norm = static_cast<float>(job.max_grad_norm);
  const auto epsilon = static_cast<float>(job.grad_norm_epsilon);
  job.scales[kDivisor] = fmaxf((norm + epsilon) / max_norm, 1.0F);
  job.scales[kRate] = static_cast<float>(*job.learning_rate / (1 - pow(job.beta1, steps)));
  job.scales[kRoot] = static_cast<float>(sqrt(1 - pow(job.beta2, steps)));
}

__global__ void __launch_bounds__(kThreads) apply_gradient(AdamJob job) {
  if (*job.broken != 0) return;
  const auto beta1 = static_cast<float>(job.beta1);
  const auto beta2 = static_cast<float>(job.beta2);
  const auto rest1 = static_cast<float>(1 - job.beta1);
  const auto rest2 = static_cast<float>(1 - job.beta2);
  const auto epsilon = static_cast<float>(job.epsilon);
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= job.length) return;
  const float grad = job.grads[i] / job.scales[kDivisor];
  job.grads[i] = grad;
  const float m = beta1 * job.first_moment[i] + rest1 * grad;
  const float v = beta2 * job.second_moment[i] + rest2 * grad * grad;
  job.first_moment[i] = m;
  job.second_moment[i] = v;
  job.values[i] -= job.scales[kRate] * m / (sqrtf(v) / job.scales[kRoot] + epsilon);
}

}  // namespace

void adam_step(const AdamJob& job, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  measure_gradient<<<kNormBlocks, kThreads, 0, queue>>>(job);
  const auto blocks = static_cast<unsigned>((job.length + kThreads - 1) / kThreads);
  apply_gradient<<<blocks, kThreads, 0, queue>>>(job);
  check(cudaGetLastError(), "Adam step");
}

}  // namespace plr::cuda
