// The recurrent part of an LSTM over whole sequences, forward and backward, on a Hopper.
//
//   i, f, o = sigmoid(x Wx + h Wh + b)     g = tanh(x Wx + h Wh + b)
//   c = f c + i g                          h = o tanh(c)
//
// The caller computes the input's part of the gates for all steps at once, and the gradient of Wh
// from those of the gates.  Each pass over all steps is one kernel: a cluster of thread blocks
// keeps Wh in its registers and exchanges h, or the gradient of h, through distributed shared
// memory.
//
// Two modes.  With Numbers::kExact all arrays are floats and products have 22 bits forward and 16
// bits backward.  With Numbers::kBf16 the gates' inputs and gradients, h and its gradient are bf16
// and products have 11 bits forward and 8 bits backward.  Sums are fp32 and taken in a fixed order,
// and sequences do not affect each other: results are deterministic.
#pragma once

#include <cstdint>

namespace plr::cuda::lstm {

enum class Numbers : std::uint8_t { kExact, kBf16 };

// Of one pass.  Arrays of gates have the four gates of a unit together.  "Io" is float, or bf16
// with Numbers::kBf16; "Saved" is float, or fp16.
struct RecurrentPass {
  Numbers numbers = Numbers::kExact;
  int steps = 0;                         // L
  int sequences = 0;                     // B
  int units = 0;                         // H
  const float* hidden_weight = nullptr;  // [4 H, H], gates in the order i, f, g, o
  const float* state = nullptr;          // [B, 2 H]: c and h before the first step
  const float* resets = nullptr;         // [L, B]: 1 where c and h are zero before the step
  void* gates = nullptr;                 // [L, B, H, 4] Saved: after their activations
  float* cells = nullptr;                // [L, B, H]: c after each step
};

// Whether there are kernels for this number of units.  They need a GPU of compute capability 9.0.
bool can_recur(int units);

// Enqueues the forward pass, which writes pass.gates and pass.cells; `stream` is a cudaStream_t.
// Throws std::runtime_error on a CUDA error, as the next function does.
//   x_gates        [L, B, H, 4] Io: the input's part of the gates
//   hidden         [L, B, H] Io: h after each step
//   hidden_before  [L, B, H] Io: h before each step, zero after a reset
void recur_forward(const RecurrentPass& pass, const void* x_gates, void* hidden,
                   void* hidden_before, void* stream);

// Enqueues the backward pass.
//   hidden_grad  [L, B, H] Io: without what flows back through later steps
//   gates_grad   [L, B, H, 4] Io: the gradient of x_gates
void recur_backward(const RecurrentPass& pass, const void* hidden_grad, void* gates_grad,
                    void* stream);

}  // namespace plr::cuda::lstm
