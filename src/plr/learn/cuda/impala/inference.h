// Inference with the IMPALA network, from bytes to actions.
//
// On Hopper, two kernels:
//
//   conv_trunk        a cluster of thread blocks per image, each with a tile of its rows: all
//   fifteen
//                     convolutions, every activation in shared memory or registers     -> features
//   heads_and_sample  a cluster of 16 thread blocks per 16 images: hidden layer, heads and action
//                     sampling                                                          -> results
//
// On every GPU since Ampere, three: without clusters, conv_trunk has one thread block per image,
// and the hidden layer's partial sums pass through global memory.
//
// Operands are bf16, sums fp32.  The weights must be packed (weights.h) after each change.  Sums
// are taken in a fixed order, the same in both variants, so that results are deterministic.
#pragma once

#include "plr/learn/cuda/common/inference_job.h"
#include "plr/learn/cuda/impala/layers.h"
#include "plr/learn/cuda/impala/weights.h"

namespace plr::cuda::impala {

// Device memory that inference works in.
struct InferenceScratch {
  void* features = nullptr;   // bf16 [batch][kNumFeatures]
  float* partials = nullptr;  // [kHiddenBlocks][batch][kHiddenUnits]; portable::infer() alone
};

// Enqueues the kernels; `stream` is a cudaStream_t.  If `relu_skip`, a residual block adds ReLU(x)
// instead of x.  Throws std::runtime_error on a CUDA error.
// REQUIRES: job.num_actions == kNumActions; observations of 64 x 64 x 3.
void infer(const Weights& weights, const PackedWeights& packed, bool relu_skip,
           const InferenceJob& job, const InferenceScratch& scratch, void* stream);

namespace portable {

void infer(const Weights& weights, const PackedWeights& packed, bool relu_skip,
           const InferenceJob& job, const InferenceScratch& scratch, void* stream);

}  // namespace portable

}  // namespace plr::cuda::impala
