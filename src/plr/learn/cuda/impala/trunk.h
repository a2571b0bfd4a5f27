// Forward and backward pass of the IMPALA network's convolutions.
//
// Operands are bf16, sums fp32:
//
//   pack_weights     weights into the order of tensor cores, for both directions
//   forward          a thread block per image, all layers on the chip; saves activations
//                                                                                     -> features
//   backward         the same from the last layer to the first; saves every layer's output
//   gradients weight_grad      each layer over the batch, layers concurrently                   ->
//   partial sums reduce_partials  partial sums, in a fixed order += gradients
//
// What is between features and loss is left to libtorch.  buffers.h lists what the passes save.
//
//   Trunk trunk(Variant::kPortable, batch, relu_skip, memory);
//   trunk.forward(weights, pixels, features, stream);
//   trunk.backward(pixels, features, features_grad, grads, stream);   // adds to grads
//
// Results are deterministic.  Only the constructor allocates or waits, so that both calls can be
// recorded in a CUDA graph.  A forward pass overwrites what the previous one saved.  Not copyable.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>

#include "plr/learn/cuda/impala/layers.h"
#include "plr/learn/cuda/impala/variant.h"
#include "plr/learn/cuda/impala/weights.h"

namespace plr::cuda::impala {

// Images [B][64][64][3]: bytes, or floats in the same range.  Aligned to 16 bytes.
struct Pixels {
  const void* data = nullptr;
  bool are_floats = false;
};

// Gradients of the convolutions are added here; laid out as the weights.
struct Gradients {
  float* conv[kNumLayers] = {};
  float* conv_bias[kNumLayers] = {};
};

class Trunk {
 public:
  // Bytes of device memory that it works in.
  static std::int64_t bytes(int batch);

  // Throws std::runtime_error on a CUDA error, as the other functions do.
  // REQUIRES: the current device runs the variant; `memory` has bytes(batch) bytes and is aligned
  // to 256.
  Trunk(Variant variant, int batch, bool relu_skip, void* memory);
  ~Trunk();
  Trunk(const Trunk&) = delete;
  Trunk& operator=(const Trunk&) = delete;

  // Enqueue their kernels; `stream` is a cudaStream_t.  Features and their gradients are bf16
  // [B][kNumFeatures]; features are after the last ReLU.
  void forward(const Weights& weights, const Pixels& pixels, void* features, void* stream);
  void backward(const Pixels& pixels, const void* features, const void* features_grad,
                const Gradients& grads, void* stream);

 private:
  struct Plan;

  std::unique_ptr<Plan> plan_;
};

}  // namespace plr::cuda::impala
