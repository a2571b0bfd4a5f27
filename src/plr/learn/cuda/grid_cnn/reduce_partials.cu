// Reduces the partial sums of all weight gradients of the grid CNN and adds them to the gradients.
//
// Grid: one-dimensional; each parameter tensor has a range of thread blocks
// (PartialSum::end_block). Block: 256 threads; 1 KB of shared memory. Ownership: where there are at
// most 8 partial sums, a thread owns one number; otherwise a thread block owns 32 numbers and each
// warp a slice of their partial sums.

#include <cuda_runtime.h>

#include "plr/learn/cuda/common/reduce_partials.cuh"
#include "plr/learn/cuda/grid_cnn/kernels.h"

namespace plr::cuda::grid_cnn {
namespace {

constexpr int kMaxSums = 14;  // parameter tensors

// `size` numbers, whose partial sums are `stride` floats apart.
struct PartialSum {
  const float* partials;
  std::int64_t stride;
  int num_partials;
  int size;
  float* to;
  int end_block;  // of the kernel's thread blocks

  __host__ __device__ bool is_sliced() const { return num_partials > kReduceSlices; }
};

struct PartialSums {
  PartialSum sums[kMaxSums];
};

__global__ void __launch_bounds__(kReduceThreads) reduce_all_partials(PartialSums all) {
  const int block = static_cast<int>(blockIdx.x);
  int which = 0;
  while (block >= all.sums[which].end_block) ++which;
  const PartialSum& sum = all.sums[which];
  const int begin = which == 0 ? 0 : all.sums[which - 1].end_block;
  const int thread = static_cast<int>(threadIdx.x);
  if (!sum.is_sliced()) {
    const int i = (block - begin) * kReduceThreads + thread;
    if (i >= sum.size) return;
    float total = 0;
    for (int k = 0; k < sum.num_partials; ++k) total += sum.partials[k * sum.stride + i];
    sum.to[i] += total;
    return;
  }
  const int i = (block - begin) * kReduceWidth + thread % kReduceWidth;
  const bool is_inside = i < sum.size;
  const float total = reduce_partials<SliceOrder::kContiguous>(sum.partials + i, sum.stride,
                                                               sum.num_partials, is_inside);
  if (thread < kReduceWidth && is_inside) sum.to[i] += total;
}

}  // namespace

void launch_reduce_partials(const TrainPass& pass, const BackwardScratch& scratch,
                            int num_conv_partials, const Gradients& grads, void* stream) {
  const int features = pass.shape.num_features();
  const int actions = pass.shape.num_actions;
  PartialSums all{};
  int count = 0;
  int blocks = 0;
  const auto add = [&](const float* partials, std::int64_t stride, int num_partials, int size,
                       float* to) {
    PartialSum sum{partials, stride, num_partials, size, to, 0};
    const int width = sum.is_sliced() ? kReduceWidth : kReduceThreads;
    blocks += (size + width - 1) / width;
    sum.end_block = blocks;
    all.sums[count++] = sum;
  };

  const ConvPartial conv(pass.shape.channels);
  const auto add_conv = [&](int offset, int size, float* to) {
    add(scratch.conv_partials + offset, conv.size, num_conv_partials, size, to);
  };
  add_conv(conv.conv1, kConv1Channels * 4 * kObsChannels, grads.conv1);
  add_conv(conv.conv1_bias, kConv1Channels, grads.conv1_bias);
  add_conv(conv.conv2, kConv2Channels * 4 * kConv1Channels, grads.conv2);
  add_conv(conv.conv2_bias, kConv2Channels, grads.conv2_bias);
  add_conv(conv.conv3, pass.shape.channels * 4 * kConv2Channels, grads.conv3);
  add_conv(conv.conv3_bias, pass.shape.channels, grads.conv3_bias);

  const HeadPartial head(actions);
  const int num_head_partials = (pass.batch + kHeadSamples - 1) / kHeadSamples;
  const auto add_head = [&](int offset, int size, float* to) {
    add(scratch.head_partials + offset, head.size, num_head_partials, size, to);
  };
  add_head(head.policy, actions * kHidden, grads.policy);
  add_head(head.policy_bias, actions, grads.policy_bias);
  add_head(head.value, kHidden, grads.value);
  add_head(head.value_bias, 1, grads.value_bias);
  add_head(head.units_bias, kHidden, grads.actor_bias);

  const int num_partials = num_hidden_partials(pass.batch, features);
  const std::int64_t stride = std::int64_t{kUnits} * features;
  const auto add_hidden = [&](int first_unit, float* to) {
    add(scratch.hidden_partials + std::int64_t{first_unit} * features, stride, num_partials,
        kHidden * features, to);
  };
  add_hidden(0, grads.actor);
  if (!pass.shared_hidden) {
    add_head(head.units_bias + kHidden, kHidden, grads.critic_bias);
    add_hidden(kHidden, grads.critic);
  }
  reduce_all_partials<<<blocks, kReduceThreads, 0, static_cast<cudaStream_t>(stream)>>>(all);
}

}  // namespace plr::cuda::grid_cnn
