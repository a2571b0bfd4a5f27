// Inference with the IMPALA network on Hopper: two kernels, from bytes to actions.
//
//   conv_trunk        a cluster of thread blocks per image, each with a tile of its rows: all
//   fifteen
//                     convolutions, every activation in shared memory or registers     -> features
//   heads_and_sample  a cluster of 16 thread blocks per 16 images: hidden layer, heads and action
//                     sampling                                                          -> results
//
// Operands are bf16, sums fp32.  The weights must be packed (weights.h) after each change.  Sums
// are taken in a fixed order, so that results are deterministic.
#pragma once

#include "plr/learn/cuda/common/inference_job.h"
#include "plr/learn/cuda/impala/layers.h"
#include "plr/learn/cuda/impala/weights.h"

namespace plr::cuda::impala {

// Enqueues the kernels; `stream` is a cudaStream_t.  `features` has room for kNumFeatures bf16 per
// image.  If `relu_skip`, a residual block adds ReLU(x) instead of x.  Throws std::runtime_error on
// a CUDA error. REQUIRES: job.num_actions == kNumActions; observations of 64 x 64 x 3.
void infer(const Weights& weights, const PackedWeights& packed, bool relu_skip,
           const InferenceJob& job, void* features, void* stream);

}  // namespace plr::cuda::impala
