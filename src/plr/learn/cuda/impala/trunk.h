// How does Procgen's network learn in an eighth of libtorch's time?
//
// On Hopper, in bf16 with sums in fp32, its fifteen convolutions are
//
//   pack      weights into the order that tensor cores want, for both directions
//   forward   a block per image, all layers on the chip; leaves the tape     -> features
//   backward  the same from the last layer to the first; leaves gradients of every layer's output
//   weigh     each layer over the batch, layers side by side: gradients of weights, in parts
//   add       the parts, in a fixed order                                     -> gradients
//
// and what lies between features and loss is libtorch's.  What the first two leave, and where, is
// in impala/buffers.h.
//
//   Trunk trunk(batch, relu_skip, memory);
//   trunk.forward(weights, pixels, features, stream);
//   trunk.backward(pixels, features, d_features, grads, stream);   // adds to grads
//
// The same bits every time.  Nothing waits or allocates but the constructor, so that both calls can
// be recorded.  A pass forward overwrites the tape of the one before.  Not copyable.
#pragma once

#include <cstdint>
#include <memory>

#include "plr/learn/cuda/impala/layers.h"
#include "plr/learn/cuda/impala/weights.h"

namespace plr::cuda::impala {

// Images [B][64][64][3]: bytes, or floats on the same scale.  At a multiple of 16 bytes.
struct Pixels {
  const void* data = nullptr;
  bool are_floats = false;
};

// Where the gradients of convolutions are added to, laid out as the weights are.
struct Gradients {
  float* conv[kNumLayers] = {};
  float* conv_bias[kNumLayers] = {};
};

class Trunk {
 public:
  // Bytes of device memory that it works in, which begins at a multiple of 256.
  static std::int64_t bytes(int batch);

  // Throws std::runtime_error if CUDA refuses, as the others do.
  Trunk(int batch, bool relu_skip, void* memory);
  ~Trunk();
  Trunk(const Trunk&) = delete;
  Trunk& operator=(const Trunk&) = delete;

  // Features are bf16 [B][kNumFeatures], rectified; `stream` is a cudaStream_t.
  void forward(const Weights& weights, const Pixels& pixels, void* features, void* stream);
  void backward(const Pixels& pixels, const void* features, const void* d_features,
                const Gradients& grads, void* stream);

 private:
  struct Plan;

  std::unique_ptr<Plan> plan_;
};

}  // namespace plr::cuda::impala
