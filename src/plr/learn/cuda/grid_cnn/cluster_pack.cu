// Splits all weights of the grid CNN (split_half.cuh) in the layout of inference by clusters.
//
// Grid: a thread block of 256 threads per thread block of a cluster; no shared memory.  Each writes
// its copy of the convolutions, biases and heads, and its share of the hidden layers.

#include <cuda_runtime.h>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/grid_cnn/cluster_inference.h"
#include "plr/learn/cuda/grid_cnn/cluster_layers.cuh"

namespace plr::cuda::grid_cnn {
namespace {

// Splits `count` quads; from_at(i) and to_at(i) are the addresses of quad i.
template <class FromAt, class ToAt>
__device__ void pack_quads(int count, FromAt from_at, ToAt to_at) {
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kClusterThreads) {
    quad_at(to_at(i)) = split_halves(__ldg(reinterpret_cast<const float4*>(from_at(i))));
  }
}

// The weights of a convolution, rows of K.
template <int K>
__device__ void pack_rows(const float* from, int rows, float* to, int pitch) {
  pack_quads(
      rows * (K / 4), [&](int i) { return from + 4 * i; },
      [&](int i) { return to + i / (K / 4) * pitch + i % (K / 4) * 4; });
}

__device__ void copy(const float* from, int count, float* to) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kClusterThreads) to[i] = from[i];
}

__global__ void __launch_bounds__(kClusterThreads)
    pack_for_clusters(Shape shape, ClusterLayout layout, Weights w, float* packed) {
  const int rank = static_cast<int>(blockIdx.x);
  float* to = packed + static_cast<std::int64_t>(rank) * layout.weights_end;
  for (int tap = static_cast<int>(threadIdx.x); tap < 4 * kConv1Channels; tap += kClusterThreads) {
    const float* from = w.conv1 + tap * kObsChannels;
    quad_at(to + layout.conv1_weights + 4 * tap) = split_halves({from[0], from[1], from[2], 0.0F});
  }
  pack_rows<4 * kConv1Channels>(w.conv2, kConv2Channels, to + layout.conv2_weights,
                                kConv2WeightPitch);
  pack_rows<4 * kConv2Channels>(w.conv3, shape.channels, to + layout.conv3_weights,
                                kConv3WeightPitch);
  float* biases = to + layout.conv_biases;
  copy(w.conv1_bias, kConv1Channels, biases);
  copy(w.conv2_bias, kConv2Channels, biases + kConv1Channels);
  copy(w.conv3_bias, shape.channels, biases + kConv1Channels + kConv2Channels);
  copy(w.actor_bias, kHidden, to + layout.hidden_biases);
  copy(w.critic_bias, kHidden, to + layout.hidden_biases + kHidden);
  copy(w.policy, shape.num_actions * kHidden, to + layout.heads);
  copy(w.value, kHidden, to + layout.heads + shape.num_actions * kHidden);
  copy(w.policy_bias, shape.num_actions, to + layout.head_biases);
  copy(w.value_bias, 1, to + layout.head_biases + shape.num_actions);

  const std::int64_t num_features = layout.num_chunks * kChunk;
  pack_quads(
      layout.chunks_of(rank) * kUnits * 4,
      [&](int i) {
        const int unit = i / 4 % kUnits;
        const int chunk = i / 4 / kUnits * kClusterBlocks + rank;
        return (unit < kHidden ? w.actor : w.critic) + unit % kHidden * num_features +
               chunk * kChunk + i % 4 * 4;
      },
      [&](int i) {
        return to + layout.hidden_weights + i / 4 % kUnits * layout.hidden_pitch +
               i / 4 / kUnits * kChunk + i % 4 * 4;
      });
}

}  // namespace

std::int64_t packed_floats(const Shape& shape) {
  return std::int64_t{kClusterBlocks} * ClusterLayout(shape, 1).weights_end;
}

void pack_cluster_weights(const Shape& shape, const Weights& weights, float* packed, void* stream) {
  pack_for_clusters<<<kClusterBlocks, kClusterThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      shape, ClusterLayout(shape, 1), weights, packed);
  check(cudaGetLastError(), "packing the weights of the grid CNN");
}

}  // namespace plr::cuda::grid_cnn
