// How does Procgen's network act in the time of a few of libtorch's kernels?
//
// On Hopper, in bf16 with sums in fp32, from bytes to decisions in two kernels:
//
//   see     a cluster of blocks per image, each with a band of its rows: all fifteen convolutions,
//           every activation in shared memory or registers                        -> features
//   decide  a cluster of 16 blocks per 16 images: hidden layer, heads, decision   -> results
//
// and a third, pack, which brings changed weights into the order that these want.  The sums are
// taken in one fixed order: the same bits every time.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/inference_job.h"
#include "plr/learn/cuda/impala/layers.h"
#include "plr/learn/cuda/impala/weights.h"

namespace plr::cuda::impala {

// Orders its kernels; `stream` is a cudaStream_t.  `features` holds kNumFeatures bf16 for every
// image. A block of the network adds ReLU(x) instead of x if `relu_skip`.  Throws
// std::runtime_error if CUDA refuses.
void infer(const Weights& weights, const PackedWeights& packed, bool relu_skip,
           const InferenceJob& job, void* features, void* stream);

}  // namespace plr::cuda::impala
