// Forward and backward pass of the grid CNN: nine kernels instead of libtorch's hundreds.
//
// All products run on tensor cores, with operands in bf16 and accumulators in fp32.  Weights and
// their gradients stay in fp32.
//
//   forward    pack_weights        weights                                 -> bf16
//              conv_trunk_forward  a few images per thread block, in shared memory:
//                                  conv 1, pool, ReLU, conv 2, conv 3      -> conv2_out, features
//              gemm_bf16           features [B, F] x hidden weights [F, 128] -> partial sums
//              heads_forward       reduces them, tanh, both heads          -> units, logits, value
//
//   backward   heads_backward      gradients of logits and value -> those of the units, partial
//   sums
//              gemm_bf16           units' gradients x hidden weights, ReLU -> features' gradients
//              gemm_bf16           units' gradients x features -> hidden weights' partial sums
//              conv_backward       a few images per thread block, from conv 3 to conv 1; weight
//                                  gradients stay in registers over all images -> partial sums
//              reduce_partials     all partial sums, in order              += gradients
//
// The output of the first convolution is recomputed in the backward pass rather than saved.  The
// order of every sum depends on the batch size alone, so that results are deterministic.
//
// The two hidden layers are computed as one of 128 units, the actor's first; if there is only one,
// the other half is zero.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/grid_cnn/network.h"

namespace plr::cuda::grid_cnn {

// One mini-batch.
struct TrainPass {
  Shape shape;
  bool shared_hidden = false;
  Weights weights;
  const void* obs = nullptr;    // [batch, H, W, 3]
  bool obs_are_floats = false;  // otherwise bytes
  int batch = 0;
  void* saved = nullptr;  // saved_bytes() long; forward() writes it, backward() reads it
};

// Whether the kernels support such a network: 3 input channels, 32 or 64 channels of the last
// convolution, at most 32 actions, and images that fit into `shared_memory` bytes, the most that a
// thread block may have.  On Hopper that is up to 25x25, or 23x23 without the pool; GPUs with less
// than 112 KB are not supported.
bool can_train(const Shape& shape, int obs_channels, int shared_memory);

// Bytes of device memory for TrainPass::saved, and for `scratch` of backward().
std::int64_t saved_bytes(const Shape& shape, int batch);
std::int64_t scratch_bytes(const Shape& shape, int batch);

// Both enqueue their kernels; `stream` is a cudaStream_t.  They throw std::runtime_error on a CUDA
// error.

// Writes logits [batch, num_actions] and value [batch].
void forward(const TrainPass& pass, float* logits, float* value, void* stream);

// Adds to the gradients, given those of logits and value.
// REQUIRES: forward() was enqueued before with the same pass.
void backward(const TrainPass& pass, const float* logits_grad, const float* value_grad,
              void* scratch, const Gradients& grads, void* stream);

}  // namespace plr::cuda::grid_cnn
