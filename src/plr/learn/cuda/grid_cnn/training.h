// How does MiniGrid's network learn without libtorch's hundreds of kernels?
//
// Four kernels forward and five backward, on tensor cores: operands in bf16, sums in fp32, and the
// weights and their gradients in fp32 where they lie.
//
//   forward    pack      the weights                                -> bf16
//              see       a few images a block, in shared memory:
//                        conv 1, pool, ReLU, conv 2, conv 3         -> second, features
//              multiply  features [B, F] x hidden weights [F, 128]  -> parts of sums
//              heads     adds the parts, tanh, both heads           -> units, logits, value
//
//   backward   heads     gradients of logits and value              -> those of units, in parts
//              multiply  units' x hidden weights, where ReLU let through -> those of features
//              multiply  units' x features                          -> those of hidden weights
//              look back a few images a block, from conv 3 to conv 1, the gradients of weights kept
//                        in registers over all images of a block    -> parts of sums
//              add up    all parts, in order                        += gradients
//
// What the first convolution saw is computed again rather than kept.  Sums are taken in an order
// that depends on the batch's size alone: the same bits every time.
//
// Two hidden layers are one of 128 units, the actor's first; if there is only one, the other half
// is zero.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/grid_cnn/inference.h"

namespace plr::cuda::grid_cnn {

// Where gradients are added to, as Weights says of the weights.
struct Gradients {
  float* conv1 = nullptr;
  float* conv1_bias = nullptr;
  float* conv2 = nullptr;
  float* conv2_bias = nullptr;
  float* conv3 = nullptr;
  float* conv3_bias = nullptr;
  float* actor = nullptr;
  float* actor_bias = nullptr;
  float* critic = nullptr;
  float* critic_bias = nullptr;
  float* policy = nullptr;
  float* policy_bias = nullptr;
  float* value = nullptr;
  float* value_bias = nullptr;
};

// A mini-batch that is learned from.
struct TrainPass {
  Shape shape;
  bool shared_hidden = false;
  Weights weights;
  const void* obs = nullptr;    // [batch, H, W, 3]
  bool obs_are_floats = false;  // or bytes
  int batch = 0;
  void* saved = nullptr;  // saved_bytes(), from the forward to the backward pass
};

// Whether the kernels are made for such a network: three channels in, 32 or 64 out, at most 32
// actions, and images that fit into the shared memory that a block may have, in bytes.  On Hopper
// all do up to 25x25, or 23x23 if they are not pooled; GPUs with less than 112 KB have too little
// for any.
bool can_train(const Shape& shape, int obs_channels, int shared_memory);

std::int64_t saved_bytes(const Shape& shape, int batch);
std::int64_t scratch_bytes(const Shape& shape, int batch);

// Orders the kernels; `stream` is a cudaStream_t.  Both throw std::runtime_error if CUDA refuses.
// Writes logits [batch, num_actions] and value [batch].
void forward(const TrainPass& pass, float* logits, float* value, void* stream);

// Adds to the gradients, given those of what the forward pass wrote; `scratch` is
// scratch_bytes() long.
void backward(const TrainPass& pass, const float* logits_grad, const float* value_grad,
              void* scratch, const Gradients& grads, void* stream);

}  // namespace plr::cuda::grid_cnn
