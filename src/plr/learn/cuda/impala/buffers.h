// Device memory of a training pass of the IMPALA network: saved activations, gradients, weights.
//
// Per image, as bf16 [H][W][C], about 0.6 MB:
//
//   inputs         the input of each convolution, after ReLU where a residual block applies it
//   relu_masks     one bit per number that a residual block rectified: whether it was positive.  A
//                  word per thread, since a thread has the same pixels and channels in both passes
//   pool_argmax    which of nine each max pool took: 4 bits, row << 2 | column of the window
//   output_grads   gradients of each convolution's output; of the first one, after its pool
//
// and once: the weights, packed for both directions, and the partial sums of the weight gradients,
// one from every thread block that sums over some images.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/impala/layers.h"

namespace plr::cuda::impala {

inline constexpr int kNumPools = 3;
inline constexpr int kTrainThreads = 512;  // of the thread block of an image, in both passes

// A layer's weight gradients are summed as [tap][input][output], then a row for the bias; in the
// first layer with four channels and four taps per row.
PLR_HOST_DEVICE constexpr int weight_grad_rows(int layer) {
  return layer == kStage1 ? 48 : 9 * layer_inputs(layer);
}
PLR_HOST_DEVICE constexpr int weight_grad_size(int layer) {
  return (weight_grad_rows(layer) + 1) * layer_outputs(layer);
}

// Thread blocks that share a layer's images.  Few and long-running ones, since layers run
// concurrently; and independent of the device, so that every GPU takes the sums in the same order.
PLR_HOST_DEVICE constexpr int weight_grad_blocks(int layer) {
  return layer == kStage1 ? 264 : layer <= kStage2 ? 132 : layer <= kStage3 ? 66 : 33;
}

struct TrainBuffers {
  std::uint16_t* inputs[kNumLayers] = {};  // null for layer 0, whose input is the image
  std::uint16_t* output_grads[kNumLayers] = {};
  std::uint8_t* relu_masks[kNumLayers] = {};  // words of 4, 2 and 1 bytes in the three stages
  std::uint32_t* pool_argmax[kNumPools] = {};
  float* weight_grad_partials[kNumLayers] = {};
  std::uint32_t* packed_weights = nullptr;    // kPackedBytes
  std::uint32_t* mirrored_weights = nullptr;  // kPackedBytes
  float* biases = nullptr;                    // [kNumLayers][kBiasStride]
};

// Bytes that the buffers for `batch` images take, and the buffers in such memory, which must be
// aligned to 256.
std::int64_t train_buffer_bytes(int batch);
TrainBuffers make_train_buffers(void* memory, int batch);

}  // namespace plr::cuda::impala
