// The IMPALA network's weights: as the network stores them, and packed for tensor cores.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/impala/layers.h"

namespace plr::cuda::impala {

// In fp32 as in impala_network.h: convolutions [out][3][3][in], hidden [256][2048], heads
// [out][256].
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

// In bf16, in the order of layers.h; biases in fp32.
struct PackedWeights {
  std::uint32_t* conv = nullptr;           // kPackedBytes
  float* conv_bias = nullptr;              // [kNumLayers][kBiasStride]
  std::uint32_t* hidden = nullptr;         // kHiddenWords words; for inference, else null
  std::uint32_t* mirrored_conv = nullptr;  // kPackedBytes; for input gradients, else null
};

// Enqueues a kernel that packs the weights into the arrays of `packed` that are not null.  `stream`
// is a cudaStream_t.  Throws std::runtime_error on a CUDA error.
void pack_weights(const Weights& weights, const PackedWeights& packed, void* stream);

}  // namespace plr::cuda::impala
