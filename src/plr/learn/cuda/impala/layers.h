// The IMPALA network's fifteen convolutions, and how their weights are packed for the kernels.
//
// Layers are numbered in the order in which they are computed:
//
//   stage 1: 0 | 1 2 | 3 4    stage 2: 5 | 6 7 | 8 9    stage 3: 10 | 11 12 | 13 14
//
// Each stage is a convolution and a max pool, then two residual blocks of two convolutions each.
//
// Weights are packed to bf16 as B fragments of mma.m16n8k16, so that a lane reads its share in one
// load: [k-step][n-tile][lane][2 words], n-tiles in pairs where a warp has two of them.
#pragma once

#ifdef __CUDACC__
#define PLR_HOST_DEVICE __host__ __device__
#else
#define PLR_HOST_DEVICE
#endif

namespace plr::cuda::impala {

inline constexpr int kNumLayers = 15;
inline constexpr int kLayersPerStage = 5;
// The convolution before the pool of each stage; the residual blocks' layers follow it.
inline constexpr int kStage1 = 0;
inline constexpr int kStage2 = kStage1 + kLayersPerStage;
inline constexpr int kStage3 = kStage2 + kLayersPerStage;
inline constexpr int kLastLayer = kNumLayers - 1;

inline constexpr int kNumFeatures = 2048;  // 8 x 8 x 32 after the last stage: [y][x][channel]
inline constexpr int kHiddenUnits = 256;
inline constexpr int kNumActions = 15;
inline constexpr int kNumHeads = kNumActions + 1;  // the logits, then the value

// The first layer of residual block 0 or 1 of a stage.
PLR_HOST_DEVICE constexpr int residual_layer(int stage, int block) { return stage + 1 + 2 * block; }

// Whether a max pool follows the layer.
PLR_HOST_DEVICE constexpr bool is_before_pool(int layer) { return layer % kLayersPerStage == 0; }
// Whether the next layer is one before a pool.
PLR_HOST_DEVICE constexpr bool precedes_pooled_layer(int layer) {
  return layer == kStage2 - 1 || layer == kStage3 - 1;
}

// Channels of a layer.
PLR_HOST_DEVICE constexpr int layer_inputs(int layer) {
  return layer == kStage1 ? 3 : layer <= kStage2 ? 16 : 32;
}
PLR_HOST_DEVICE constexpr int layer_outputs(int layer) { return layer <= kStage2 - 1 ? 16 : 32; }

// Width and height of a layer's input.
PLR_HOST_DEVICE constexpr int layer_side(int layer) {
  return layer == kStage1 ? 64 : layer <= kStage2 ? 32 : layer <= kStage3 ? 16 : 8;
}

// A k-step covers 16 inputs at one tap of the 3x3 kernel; in the first layer, which has three
// inputs, a row of four taps with four channels.
PLR_HOST_DEVICE constexpr int layer_steps(int layer) {
  return layer == kStage1 ? 3 : 9 * (layer_inputs(layer) / 16);
}
PLR_HOST_DEVICE constexpr int layer_tiles(int layer) { return layer_outputs(layer) / 8; }
PLR_HOST_DEVICE constexpr int layer_bytes(int layer) {
  return layer_steps(layer) * layer_tiles(layer) * 32 * 8;
}
// The sum of layer_bytes() of all layers before; without a loop, since all threads compute it in
// every layer.
PLR_HOST_DEVICE constexpr int layer_offset(int layer) {
  constexpr int kFirst = layer_bytes(kStage1);
  constexpr int kStage1Layer = layer_bytes(kStage1 + 1);
  constexpr int kStage2Offset = kFirst + (kStage2 - 1) * kStage1Layer;
  constexpr int kNextOffset = kStage2Offset + layer_bytes(kStage2);
  return layer == kStage1   ? 0
         : layer <= kStage2 ? kFirst + (layer - 1) * kStage1Layer
                            : kNextOffset + (layer - kStage2 - 1) * layer_bytes(kStage2 + 1);
}
static_assert([] {
  for (int l = 0, sum = 0; l < kNumLayers; sum += layer_bytes(l++)) {
    if (layer_offset(l) != sum) return false;
  }
  return true;
}());
inline constexpr int kLargestLayer = layer_bytes(kLastLayer);
inline constexpr int kPackedBytes = layer_offset(kNumLayers);
inline constexpr int kBiasStride = 32;  // biases are packed as [kNumLayers][32] floats

// The hidden layer of inference is computed by a cluster of 16 thread blocks, each with a slice of
// the features: [thread block][warp][k-step][pair of n-tiles][lane][4 words].
inline constexpr int kHiddenBlocks = 16;
inline constexpr int kHiddenWarps = 8;
inline constexpr int kHiddenSlice = kNumFeatures / kHiddenBlocks;
inline constexpr int kHiddenSteps = kHiddenSlice / 16;
inline constexpr int kHiddenWords = kHiddenBlocks * kHiddenWarps * kHiddenSteps * 2 * 32 * 4;

}  // namespace plr::cuda::impala
