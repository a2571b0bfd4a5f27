// Inference with the grid CNN: three kernels in fp32, from bytes to actions.
//
//   conv_trunk          one to four thread blocks per image, as many as run at once, each with a
//                       stripe of its rows: three convolutions in shared memory      -> features
//   hidden_gemm_splitk  a thread block per 64 images, hidden layer (actor's or critic's) and slice
//                       of the features, on tensor cores                         -> partial sums
//   heads_and_sample    a thread block per image: reduces the partial sums, computes the heads and
//                       samples the action                                           -> results
//
// The kernels read the weights in place.  Sums are taken in a fixed order, so that results are
// deterministic.  Needs compute capability 8.0 or later.
#pragma once

#include "plr/learn/cuda/common/inference_job.h"
#include "plr/learn/cuda/grid_cnn/network.h"

namespace plr::cuda::grid_cnn {

// Whether the kernels support such a network: 3 input channels, 32 or 64 channels of the last
// convolution, images that fit into shared memory, at most 32 actions.
bool can_infer(const Shape& shape, int obs_channels);

inline constexpr int kInferenceTile = 64;    // images
inline constexpr int kInferenceSlices = 64;  // of the features

constexpr int inference_tiles(int batch) { return (batch + kInferenceTile - 1) / kInferenceTile; }

// Device memory between the kernels.
struct InferenceScratch {
  float* features = nullptr;  // [batch, num_features]
  float* partials = nullptr;  // [kInferenceSlices, inference_tiles(batch) * kInferenceTile, 128]
};

// Enqueues the kernels; `stream` is a cudaStream_t.  Throws std::runtime_error on a CUDA error.
// REQUIRES: can_infer(shape, channels of the observations).
void infer(const Shape& shape, const Weights& weights, const InferenceJob& job,
           const InferenceScratch& scratch, void* stream);

}  // namespace plr::cuda::grid_cnn
