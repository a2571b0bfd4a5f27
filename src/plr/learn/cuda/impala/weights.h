// Where do the weights of Procgen's network lie for kernels, and how are they packed?
//
// As procgen_network.h makes them, and as impala/layers.h says that tensor cores want them.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/impala/layers.h"

namespace plr::cuda::impala {

// Convolutions [out][3][3][in], hidden [256][2048], heads [out][256].
struct Weights {
  const float* conv[kNumLayers] = {};
  const float* conv_bias[kNumLayers] = {};
  const float* hidden = nullptr;
  const float* hidden_bias = nullptr;
  const float* policy = nullptr;
  const float* policy_bias = nullptr;
  const float* value = nullptr;
  const float* value_bias = nullptr;
};

struct PackedWeights {
  std::uint32_t* conv = nullptr;           // kPackedBytes
  float* conv_bias = nullptr;              // [kNumLayers][kBiasStride]
  std::uint32_t* hidden = nullptr;         // kHiddenWords words, to act
  std::uint32_t* mirrored_conv = nullptr;  // kPackedBytes, to learn: from outputs back to inputs
};

// Packs what `packed` has a place for.  `stream` is a cudaStream_t.  Throws std::runtime_error if
// CUDA refuses.
void pack_weights(const Weights& weights, const PackedWeights& packed, void* stream);

}  // namespace plr::cuda::impala
