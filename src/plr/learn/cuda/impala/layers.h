// How do the weights of Procgen's network lie for our kernels?
//
// Its fifteen convolutions are numbered in the order in which they are computed:
//
//   stage 1: 0 | 1 2 | 3 4    stage 2: 5 | 6 7 | 8 9    stage 3: 10 | 11 12 | 13 14
//
// the first of each stage before the pool, then two of each block.  Weights are packed to bf16 in
// the order in which a tensor core's lanes want them, so that a lane takes its share in one load:
// [k-step][n-tile][lane][2 words] of B fragments, n-tiles in pairs where a warp takes two of them.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define PLR_BOTH __host__ __device__
#else
#define PLR_BOTH
#endif

namespace plr::cuda::impala {

inline constexpr int kNumLayers = 15;
inline constexpr int kNumFeatures =
    2048;  // 8 x 8 x 32 after the last stage, in the order y, x, channel
inline constexpr int kHiddenUnits = 256;  // of the hidden layer
inline constexpr int kNumActions = 15;
inline constexpr int kNumHeads = kNumActions + 1;  // the logits, then the value

PLR_BOTH constexpr int layer_inputs(int layer) { return layer == 0 ? 3 : layer <= 5 ? 16 : 32; }
PLR_BOTH constexpr int layer_outputs(int layer) { return layer <= 4 ? 16 : 32; }

// A k-step covers 16 inputs at one place of the 3x3 kernel; of the image's three channels, a row of
// four places.
PLR_BOTH constexpr int layer_steps(int layer) {
  return layer == 0 ? 3 : 9 * (layer_inputs(layer) / 16);
}
PLR_BOTH constexpr int layer_tiles(int layer) { return layer_outputs(layer) / 8; }
PLR_BOTH constexpr int layer_bytes(int layer) {
  return layer_steps(layer) * layer_tiles(layer) * 32 * 8;
}
PLR_BOTH constexpr int layer_offset(int layer) {
  int offset = 0;
  for (int l = 0; l < layer; ++l) offset += layer_bytes(l);
  return offset;
}
inline constexpr int kLargestLayer = layer_bytes(14);
inline constexpr int kPackedBytes = layer_offset(kNumLayers);
inline constexpr int kBiasStride = 32;  // biases are packed as [kNumLayers][32] floats

// The hidden layer is computed by a cluster of 16 blocks, each with a slice of the features:
// [block][warp][k-step][pair of n-tiles][lane][4 words].
inline constexpr int kHiddenBlocks = 16;
inline constexpr int kHiddenWarps = 8;
inline constexpr int kHiddenSlice = kNumFeatures / kHiddenBlocks;
inline constexpr int kHiddenSteps = kHiddenSlice / 16;
inline constexpr int kHiddenWords = kHiddenBlocks * kHiddenWarps * kHiddenSteps * 2 * 32 * 4;

}  // namespace plr::cuda::impala
