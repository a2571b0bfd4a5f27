// Packs the IMPALA network's weights to bf16 in the order in which tensor cores read them
// (layers.h).
//
// Grid: y is the layer, then the layers mirrored for input gradients, then the hidden layer; x
// strides over the words of a layer.  Block: 256 threads; no shared memory.  Each thread owns words
// of the output, two weights each.

#include <cuda_runtime.h>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/impala/weights.h"

namespace plr::cuda::impala {
namespace {

constexpr int kThreads = 256;

// The weight between output n and input c at tap (dy, dx); zero where fragments are padded.  The
// image is used as bytes, so that its division by 255 is applied to the first layer's weights.
__device__ float weight_at(const float* weights, int layer, int n, int c, int dy, int dx) {
  const int inputs = layer_inputs(layer);
  if (c >= inputs || dx >= 3) return 0;
  const float w = weights[((n * 3 + dy) * 3 + dx) * inputs + c];
  return layer == kStage1 ? w / 255.0F : w;
}

// Packs one word of a layer.  MIRRORED: for input gradients, where the product's inputs are the
// layer's outputs and the kernel is mirrored.
template <bool MIRRORED>
__device__ void pack_conv(const Weights& from, int layer, int word, std::uint32_t* to) {
  const int tiles = (MIRRORED ? layer_inputs(layer) : layer_outputs(layer)) / 8;
  // Where a warp has two n-tiles they are adjacent: in stages 1 and 2, whose outputs, or inputs
  // when mirrored, a warp owns 16 channels of.
  const bool is_paired = layer < (MIRRORED ? kStage3 + 1 : kStage3);
  const int half = word % 2;
  int lane, tile, step;
  if (is_paired) {
    lane = word / 4 % 32;
    tile = word / 128 % (tiles / 2) * 2 + word / 2 % 2;
    step = word / 128 / (tiles / 2);
  } else {
    lane = word / 2 % 32;
    tile = word / 64 % tiles;
    step = word / 64 / tiles;
  }
  const int k = 2 * (lane % 4) + 8 * half;
  const int n = tile * 8 + lane / 4;
  float pair[2];
  for (int e = 0; e < 2; ++e) {
    if (layer == kStage1) {  // k counts channels, then the taps of a row
      pair[e] = weight_at(from.conv[0], 0, n, (k + e) % 4, step, (k + e) / 4);
      continue;
    }
    const int chunks = (MIRRORED ? layer_outputs(layer) : layer_inputs(layer)) / 16;
    const int c = step / 3 % chunks * 16 + k + e;
    const int dy = step % 3;
    const int dx = step / 3 / chunks;
    pair[e] = MIRRORED ? weight_at(from.conv[layer], layer, c, n, 2 - dy, 2 - dx)
                       : weight_at(from.conv[layer], layer, n, c, dy, dx);
  }
  to[word] = pack_bf16(pair[0], pair[1]);
}

__device__ void pack_hidden(const float* hidden, int word, std::uint32_t* to) {
  const int j = word % 4;
  const int lane = word / 4 % 32;
  const int pair = word / 128 % 2;
  const int step = word / 256 % kHiddenSteps;
  const int warp = word / 256 / kHiddenSteps % kHiddenWarps;
  const int block = word / 256 / kHiddenSteps / kHiddenWarps;
  const int unit = warp * 32 + (2 * pair + j / 2) * 8 + lane / 4;
  const int k = block * kHiddenSlice + step * 16 + 2 * (lane % 4) + 8 * (j % 2);
  const float* row = hidden + unit * kNumFeatures;
  to[word] = pack_bf16(row[k], row[k + 1]);
}

__global__ void pack_all(Weights from, PackedWeights to) {
  const int row = static_cast<int>(blockIdx.y);
  const int layer = row % kNumLayers;
  const int first = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  const int stride = static_cast<int>(gridDim.x) * kThreads;
  const int num_words = layer_bytes(layer) / 4;
  const int offset = layer_offset(layer) / 4;
  if (row < kNumLayers) {
    for (int i = first; i < num_words; i += stride) {
      pack_conv<false>(from, layer, i, to.conv + offset);
    }
    if (first < kBiasStride) {
      to.conv_bias[layer * kBiasStride + first] =
          first < layer_outputs(layer) ? from.conv_bias[layer][first] : 0;
    }
  } else if (row == 2 * kNumLayers) {
    for (int i = first; i < kHiddenWords; i += stride) pack_hidden(from.hidden, i, to.hidden);
  } else if (layer > kStage1 && to.mirrored_conv != nullptr) {  // the image has no gradient
    for (int i = first; i < num_words; i += stride) {
      pack_conv<true>(from, layer, i, to.mirrored_conv + offset);
    }
  }
}

}  // namespace

void pack_weights(const Weights& weights, const PackedWeights& packed, void* stream) {
  const dim3 blocks =
      packed.hidden != nullptr ? dim3(64, 2 * kNumLayers + 1) : dim3(18, 2 * kNumLayers);
  pack_all<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(weights, packed);
  check(cudaGetLastError(), "packing the weights");
}

}  // namespace plr::cuda::impala
