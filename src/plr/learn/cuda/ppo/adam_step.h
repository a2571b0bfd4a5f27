// Gradient clipping and Adam in two kernels.
//
//   measure_gradient  the gradient's norm; whether it and the loss are finite; the step's number
//   apply_gradient    the clipped gradient to moments and weights, unless something was not finite
//
// Sums are taken in a fixed order, so that results are deterministic.  Needs compute capability 8.0
// or later.
#pragma once

#include <cstdint>

namespace plr::cuda {

struct AdamJob {
  float* values = nullptr;  // [length], as are the next three
  float* grads = nullptr;   // clipped in place
  float* first_moment = nullptr;
  float* second_moment = nullptr;
  std::int64_t length = 0;
  const float* loss = nullptr;            // [1]
  const double* learning_rate = nullptr;  // [1]
  float* steps = nullptr;                 // [1]: number of steps applied
  float* broken = nullptr;                // [1]: set to 1 by a loss or gradient that is not finite
  float* norm = nullptr;                  // [1], written
  float* partial_sums = nullptr;          // [kNormBlocks]
  float* scales = nullptr;                // [3], from the first kernel to the second
  unsigned* blocks_done = nullptr;        // [1], zero before the first use
  double beta1 = 0;
  double beta2 = 0;
  double epsilon = 0;
  double max_grad_norm = 0;
  double grad_norm_epsilon = 0;
};

inline constexpr int kNormBlocks = 128;

// Enqueues both kernels; `stream` is a cudaStream_t.  Throws std::runtime_error on a CUDA error.
void adam_step(const AdamJob& job, void* stream);

}  // namespace plr::cuda
