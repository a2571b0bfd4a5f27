#include <cuda_runtime.h>

#include "plr/learn/cuda/grid_cnn/kernels.h"

namespace plr::cuda::grid_cnn {
namespace {

constexpr int kThreads = 256;
constexpr int kSlices = 8;  // into which many parts are cut
constexpr int kMaxSums = 14;

// Numbers of which there are several parts, each `stride` behind the one before.
struct Sum {
  const float* parts;
  std::int64_t stride;
  int num_parts;
  int size;
  float* to;
  int end_block;  // of the kernel's blocks

  __host__ __device__ bool is_sliced() const { return num_parts > kSlices; }
};

struct AllSums {
  Sum sums[kMaxSums];
};

// A thread adds up all parts of a number or, where there are many, a slice of them; then the slices
// are added, in order.
__global__ void __launch_bounds__(kThreads) add_up(AllSums all) {
  __shared__ float slices[kSlices][kThreads / kSlices];
  const int block = static_cast<int>(blockIdx.x);
  int which = 0;
  while (block >= all.sums[which].end_block) ++which;
  const Sum& sum = all.sums[which];
  const int begin = which == 0 ? 0 : all.sums[which - 1].end_block;
  const int thread = static_cast<int>(threadIdx.x);
  if (!sum.is_sliced()) {
    const int i = (block - begin) * kThreads + thread;
    if (i >= sum.size) return;
    float total = 0;
    for (int part = 0; part < sum.num_parts; ++part) total += sum.parts[part * sum.stride + i];
    sum.to[i] += total;
    return;
  }
  constexpr int kWidth = kThreads / kSlices;
  const int i = (block - begin) * kWidth + thread % kWidth;
  const int slice = thread / kWidth;
  float total = 0;
  if (i < sum.size) {
    const int per_slice = (sum.num_parts + kSlices - 1) / kSlices;
    const int end = min((slice + 1) * per_slice, sum.num_parts);
#pragma unroll 8
    for (int part = slice * per_slice; part < end; ++part) {
      total += sum.parts[part * sum.stride + i];
    }
  }
  slices[slice][thread % kWidth] = total;
  __syncthreads();
  if (thread >= kWidth || i >= sum.size) return;
  for (int s = 1; s < kSlices; ++s) total += slices[s][thread];
  sum.to[i] += total;
}

}  // namespace

void launch_reduce_partials(const TrainPass& pass, const BackwardScratch& scratch,
                            int num_conv_parts, const Gradients& grads, void* stream) {
  const int features = pass.shape.num_features();
  const int actions = pass.shape.num_actions;
  AllSums all{};
  int count = 0;
  int blocks = 0;
  const auto add = [&](const float* parts, std::int64_t stride, int num_parts, int size,
                       float* to) {
    Sum sum{parts, stride, num_parts, size, to, 0};
    const int width = sum.is_sliced() ? kThreads / kSlices : kThreads;
    blocks += (size + width - 1) / width;
    sum.end_block = blocks;
    all.sums[count++] = sum;
  };

  const ConvPart conv(pass.shape.channels);
  const auto add_conv = [&](int at, int size, float* to) {
    add(scratch.conv_parts + at, conv.size, num_conv_parts, size, to);
  };
  add_conv(conv.conv1, kFirst * 4 * kIn, grads.conv1);
  add_conv(conv.conv1_bias, kFirst, grads.conv1_bias);
  add_conv(conv.conv2, kSecond * 4 * kFirst, grads.conv2);
  add_conv(conv.conv2_bias, kSecond, grads.conv2_bias);
  add_conv(conv.conv3, pass.shape.channels * 4 * kSecond, grads.conv3);
  add_conv(conv.conv3_bias, pass.shape.channels, grads.conv3_bias);

  const HeadPart head(actions);
  const int num_head_parts = (pass.batch + kHeadSamples - 1) / kHeadSamples;
  const auto add_head = [&](int at, int size, float* to) {
    add(scratch.head_parts + at, head.size, num_head_parts, size, to);
  };
  add_head(head.policy, actions * kHidden, grads.policy);
  add_head(head.policy_bias, actions, grads.policy_bias);
  add_head(head.value, kHidden, grads.value);
  add_head(head.value_bias, 1, grads.value_bias);
  add_head(head.units_bias, kHidden, grads.actor_bias);

  const int num_hidden_parts = hidden_parts(pass.batch, features);
  const std::int64_t stride = std::int64_t{kUnits} * features;
  const auto add_hidden = [&](int first_unit, float* to) {
    add(scratch.hidden_parts + std::int64_t{first_unit} * features, stride, num_hidden_parts,
        kHidden * features, to);
  };
  add_hidden(0, grads.actor);
  if (!pass.shared_hidden) {
    add_head(head.units_bias + kHidden, kHidden, grads.critic_bias);
    add_hidden(kHidden, grads.critic);
  }
  add_up<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(all);
}

}  // namespace plr::cuda::grid_cnn
