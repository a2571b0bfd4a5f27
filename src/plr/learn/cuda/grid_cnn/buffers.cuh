// Global memory that the training kernels of the grid CNN share.
//
// Two blocks of memory: SavedActivations lives from the forward to the backward pass,
// BackwardScratch during the backward pass.  Their constructors define the layout, for those who
// ask for the size (with a null block) and for the kernels.
#pragma once

#include <cuda_bf16.h>

#include <algorithm>
#include <cstdint>

#include "plr/learn/cuda/common/arena.h"
#include "plr/learn/cuda/grid_cnn/tiling.cuh"

namespace plr::cuda::grid_cnn {

constexpr int kMaxConvBlocks = 264;  // two for each of a Hopper's 132 multiprocessors
constexpr int kHeadSamples = 16;     // of a thread block of heads_backward
constexpr int kGemmStep = 64;        // of the inner dimension K, per stage of gemm_bf16

// The number of partial sums (split-K) of a product with inner dimension `k` and `tiles` tiles of
// results: enough to occupy the device, and at most eight, since they must be reduced.
inline int num_partials(int tiles, int k) {
  const int steps = (k + kGemmStep - 1) / kGemmStep;
  return std::clamp(kMaxConvBlocks / 2 / tiles, 1, std::min(steps, 8));
}

// The same for the two products that are split.
inline int num_unit_partials(int batch, int features) {
  return num_partials((batch + 63) / 64, features);
}
inline int num_hidden_partials(int batch, int features) {
  return num_partials((features + 63) / 64, batch);
}

struct SavedActivations {
  // Weights in bf16.  Fragments are in the order of WeightFragments; the fourth input channel of
  // the first layer is zero.  The others are laid out as in the network.
  std::uint32_t* fragments1;      // [16][16]
  std::uint32_t* fragments2;      // [32][64]
  std::uint32_t* fragments3;      // [C][128]
  std::uint32_t* conv2_weights;   // [32][64]
  std::uint32_t* conv3_weights;   // [C][128]
  __nv_bfloat16* hidden_weights;  // [128][F]

  __nv_bfloat16* conv2_out;  // [B][conv2_pixels][32]
  __nv_bfloat16* features;   // [B][F]
  float* unit_partials;      // [num_unit_partials()][B][128]
  float* units;              // [B][128], after tanh
  std::int64_t bytes;

  SavedActivations(const Shape& s, std::int64_t batch, void* block) {
    Arena arena(block);
    const int num_features = s.num_features();
    fragments1 = arena.allocate<std::uint32_t>(16 * 16 / 2);
    fragments2 = arena.allocate<std::uint32_t>(kConv2Channels * 4 * kConv1Channels / 2);
    fragments3 = arena.allocate<std::uint32_t>(s.channels * 4 * kConv2Channels / 2);
    conv2_weights = arena.allocate<std::uint32_t>(kConv2Channels * 4 * kConv1Channels / 2);
    conv3_weights = arena.allocate<std::uint32_t>(s.channels * 4 * kConv2Channels / 2);
    hidden_weights = arena.allocate<__nv_bfloat16>(std::int64_t{kUnits} * num_features);
    conv2_out = arena.allocate<__nv_bfloat16>(batch * Tiling(s).conv2_pixels * kConv2Channels);
    features = arena.allocate<__nv_bfloat16>(batch * num_features);
    unit_partials = arena.allocate<float>(num_unit_partials(static_cast<int>(batch), num_features) *
                                          batch * kUnits);
    units = arena.allocate<float>(batch * kUnits);
    bytes = arena.bytes();
  }
};

// Offsets, in floats, of the weight gradients that one thread block writes as partial sums: of the
// convolutions, and of the heads.
struct ConvPartial {
  int conv3 = 0, conv3_bias, conv2, conv2_bias, conv1, conv1_bias, size;
  __host__ __device__ explicit ConvPartial(int channels)
      : conv3_bias(channels * 4 * kConv2Channels),
        conv2(conv3_bias + channels),
        conv2_bias(conv2 + kConv2Channels * 4 * kConv1Channels),
        conv1(conv2_bias + kConv2Channels),
        conv1_bias(conv1 + kConv1Channels * 4 * kObsChannels),
        size(conv1_bias + kConv1Channels) {}
};
struct HeadPartial {
  int policy = 0, value, units_bias, policy_bias, value_bias, size;
  __host__ __device__ explicit HeadPartial(int num_actions)
      : value(num_actions * kHidden),
        units_bias(value + kHidden),
        policy_bias(units_bias + kUnits),
        value_bias(policy_bias + num_actions),
        size(value_bias + 1) {}
};

struct BackwardScratch {
  __nv_bfloat16* units_grad;     // [B][128], before tanh
  __nv_bfloat16* features_grad;  // [B][F], before ReLU
  float* hidden_partials;        // [num_hidden_partials()][128][F]
  float* head_partials;          // [thread blocks][HeadPartial]
  float* conv_partials;          // [kMaxConvBlocks][ConvPartial]
  std::int64_t bytes;

  BackwardScratch(const Shape& s, std::int64_t batch, void* block) {
    Arena arena(block);
    const int num_features = s.num_features();
    units_grad = arena.allocate<__nv_bfloat16>(batch * kUnits);
    features_grad = arena.allocate<__nv_bfloat16>(batch * num_features);
    hidden_partials =
        arena.allocate<float>(std::int64_t{kUnits} * num_features *
                              num_hidden_partials(static_cast<int>(batch), num_features));
    head_partials = arena.allocate<float>((batch + kHeadSamples - 1) / kHeadSamples *
                                          HeadPartial(s.num_actions).size);
    conv_partials =
        arena.allocate<float>(std::int64_t{kMaxConvBlocks} * ConvPartial(s.channels).size);
    bytes = arena.bytes();
  }
};

}  // namespace plr::cuda::grid_cnn
