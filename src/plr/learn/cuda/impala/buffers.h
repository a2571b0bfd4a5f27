// What does the pass forward leave for the way back, and where?
//
// Per image, the tape holds
//
//   inputs     what each convolution was given, rectified where a block rectifies it
//   masks      a bit for each number that a block rectified: was it positive?  A word per thread,
//              since a thread meets the same pixels and channels in both directions
//   places     which of nine each pool took: 4 bits, row << 2 | column of the window
//   gradients  of each convolution's output; of the first one, of what its pool made
//
// some 0.6 MB, as bf16 [H][W][C]; and once the weights, packed for both directions, and the
// parts of the weights' gradients, one from every block that sums some images.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/impala/layers.h"

namespace plr::cuda::impala {

inline constexpr int kPools = 3;
inline constexpr int kLearnThreads = 512;  // of a block, which takes an image, in both directions

// Width and height of a layer's input.
PLR_BOTH constexpr int layer_side(int layer) {
  return layer == 0 ? 64 : layer <= 5 ? 32 : layer <= 10 ? 16 : 8;
}
// First of a stage, before its pool.
PLR_BOTH constexpr bool is_pooled(int layer) { return layer % 5 == 0; }

// A layer's gradient is summed as [place][input][output], then a row for the bias; of the image,
// four channels at four places a row.
PLR_BOTH constexpr int sum_rows(int layer) { return layer == 0 ? 48 : 9 * layer_inputs(layer); }
PLR_BOTH constexpr int sum_size(int layer) { return (sum_rows(layer) + 1) * layer_outputs(layer); }

// How many blocks share a layer's images.  Few and long ones, since layers run side by side; and
// not as many as the device has, so that every Hopper takes the sums in the same order.
PLR_BOTH constexpr int sum_blocks(int layer) {
  return layer == 0 ? 264 : layer <= 5 ? 132 : layer <= 10 ? 66 : 33;
}

struct TrainBuffers {
  std::uint16_t* inputs[kNumLayers] = {};  // none of layer 0, which takes the image
  std::uint16_t* gradients[kNumLayers] = {};
  std::uint8_t* masks[kNumLayers] = {};  // words of 4, 2 and 1 bytes in the three stages
  std::uint32_t* places[kPools] = {};
  float* parts[kNumLayers] = {};
  std::uint32_t* weights = nullptr;           // kPackedBytes
  std::uint32_t* mirrored_weights = nullptr;  // kPackedBytes
  float* biases = nullptr;                    // [kNumLayers][kBiasStride]
};

// Bytes that a tape for so many images takes, and the tape in that memory, which begins at a
// multiple of 256.
std::int64_t train_buffer_bytes(int batch);
TrainBuffers make_train_buffers(void* memory, int batch);

}  // namespace plr::cuda::impala
