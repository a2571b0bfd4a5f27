// How is a gradient clipped and applied in two passes over the weights?
//
//   measure  the gradient's length; whether it and the loss are finite; the step's number
//   apply    the clipped gradient to moments and weights, unless something was not finite
//
// Sums are taken in one fixed order: the same bits every time.
#pragma once

#include <cstdint>

namespace plr::cuda {

struct AdamJob {
  float* values = nullptr;  // [length], this and the next three
  float* grads = nullptr;   // left clipped
  float* first_moment = nullptr;
  float* second_moment = nullptr;
  std::int64_t length = 0;
  const float* loss = nullptr;      // [1]
  float* steps = nullptr;           // [1]: how many were applied
  float* broken = nullptr;          // [1]: becomes 1 at a loss or gradient that is not finite
  float* norm = nullptr;            // [1], written
  float* partial_sums = nullptr;    // [kNormBlocks]
  float* scales = nullptr;          // [3], between the two
  unsigned* blocks_done = nullptr;  // [1], zero before the first use
  double learning_rate = 0;
  double beta1 = 0;
  double beta2 = 0;
  double epsilon = 0;
  double max_grad_norm = 0;
};

inline constexpr int kNormBlocks = 128;

// Orders both kernels; `stream` is a cudaStream_t.  Throws std::runtime_error if CUDA refuses.
void adam_step(const AdamJob& job, void* stream);

}  // namespace plr::cuda
