// The layers above the LSTM in training: 32 ReLU units and a linear head for the policy, and the
// same for the value, forward and backward.
//
// The caller multiplies h by the hidden layers' weights, which pack_heads() stacks, and computes
// the gradients of h and of these weights, with one matrix product each.  Arrays of "Io" are
// floats, or bf16 with Numbers::kBf16 (recurrence.h).  Sums are fp32 and taken in a fixed order.
// Runs on every GPU since Ampere.
#pragma once

#include "plr/learn/cuda/lstm/network.h"
#include "plr/learn/cuda/lstm/recurrence.h"

namespace plr::cuda::lstm {

struct HeadsPass {
  Shape shape;
  Numbers numbers = Numbers::kExact;
  Weights weights;
  const void* products = nullptr;  // [rows, 64] Io: h times the packed weights
  int rows = 0;
};

// Enqueue kernels; `stream` is a cudaStream_t.  Throw std::runtime_error on a CUDA error.
//   packed         [64, units] Io: the policy's hidden weight, then the value's
//   logits         [rows, actions]
//   values         [rows]
//   products_grad  [rows, 64] Io
//   partials       [heads_blocks(rows), heads_sums(shape)]: scratch memory
void pack_heads(const Shape& shape, Numbers numbers, const Weights& weights, void* packed,
                void* stream);
void heads_forward(const HeadsPass& pass, float* logits, float* values, void* stream);
void heads_backward(const HeadsPass& pass, const float* logits_grad, const float* values_grad,
                    void* products_grad, float* partials, const Gradients& gradients, void* stream);
int heads_blocks(int rows);
int heads_sums(const Shape& shape);

}  // namespace plr::cuda::lstm
