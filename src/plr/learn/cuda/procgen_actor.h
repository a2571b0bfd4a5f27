// How does Procgen's network act in the time of a few of libtorch's kernels?
//
// On Hopper, in bf16 with sums in fp32, from bytes to decisions in two kernels:
//
//   see     a cluster of blocks per image, each with a band of its rows: all fifteen convolutions,
//           every activation in shared memory or registers                        -> features
//   decide  a cluster of 16 blocks per 16 images: hidden layer, heads, decision   -> results
//
// and a third, pack, which brings changed weights into the order that these want.  The sums are
// taken in one fixed order: the same bits every time.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/acting.h"
#include "plr/learn/cuda/procgen_layers.h"

namespace plr::cuda {

// Weights as procgen_network.h makes them: convolutions [out][3][3][in], hidden [256][2048],
// heads [out][256].
struct ProcgenWeights {
  const float* conv[kLayers] = {};
  const float* conv_bias[kLayers] = {};
  const float* hidden = nullptr;
  const float* hidden_bias = nullptr;
  const float* policy = nullptr;
  const float* policy_bias = nullptr;
  const float* value = nullptr;
  const float* value_bias = nullptr;
};

struct ProcgenPacked {
  std::uint32_t* conv = nullptr;    // kPackedBytes
  float* conv_bias = nullptr;       // [kLayers][kBiasStride]
  std::uint32_t* hidden = nullptr;  // kHiddenWords words
};

// Each orders its kernels; `stream` is a cudaStream_t.  They throw std::runtime_error if CUDA
// refuses.
void procgen_pack(const ProcgenWeights& weights, const ProcgenPacked& packed, void* stream);

// `features` holds kFeatures bf16 for every image.  A block of the network adds ReLU(x) instead of
// x if `relu_skip`.
void procgen_act(const ProcgenWeights& weights, const ProcgenPacked& packed, bool relu_skip,
                 const ActingJob& job, void* features, void* stream);

}  // namespace plr::cuda
