// How does MiniGrid's network act without libtorch's hundred little kernels?
//
// Three kernels in fp32, from bytes to decisions, on the weights as they lie:
//
//   see     one to four blocks per image, as many as run at once, each with a band of its rows:
//           three convolutions, all in shared memory                             -> features
//   think   a block per 64 images, side of the hidden layer (actor's, critic's) and slice of the
//           features: what the slice gives to the sums, by tensor cores          -> parts
//   decide  a block per image: adds up the slices, computes the heads and decides -> results
//
// The sums are taken in one fixed order: the same bits every time.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/inference_job.h"

namespace plr::cuda::grid_cnn {

// Weights as minigrid_network.h names them, convolutions [out][2][2][in], hidden layers
// [64][features], heads [out][64].
struct Weights {
  const float* conv1 = nullptr;
  const float* conv1_bias = nullptr;
  const float* conv2 = nullptr;
  const float* conv2_bias = nullptr;
  const float* conv3 = nullptr;
  const float* conv3_bias = nullptr;
  const float* actor = nullptr;
  const float* actor_bias = nullptr;
  const float* critic = nullptr;  // the same as actor's if the hidden layer is shared
  const float* critic_bias = nullptr;
  const float* policy = nullptr;
  const float* policy_bias = nullptr;
  const float* value = nullptr;
  const float* value_bias = nullptr;
};

struct Shape {
  int height = 0;
  int width = 0;
  int channels = 0;  // of the last convolution
  bool pool = true;
  int num_actions = 0;

  int pooled_height() const { return pool ? (height - 1) / 2 : height - 1; }
  int pooled_width() const { return pool ? (width - 1) / 2 : width - 1; }
  int num_features() const { return (pooled_height() - 2) * (pooled_width() - 2) * channels; }
};

// Whether the kernels are made for such a network: three channels in, 32 or 64 out, grids that fit
// into shared memory, at most 32 actions.
bool can_infer(const Shape& shape, int obs_channels);

inline constexpr int kInferenceTile = 64;    // images
inline constexpr int kInferenceSlices = 64;  // of the features

constexpr int inference_tiles(int batch) { return (batch + kInferenceTile - 1) / kInferenceTile; }

// Memory between the kernels.
struct InferenceScratch {
  float* features = nullptr;  // [batch, num_features]
  float* parts = nullptr;     // [slices, tiles * 64, 128]
};

// Orders the kernels; `stream` is a cudaStream_t.  Throws std::runtime_error if CUDA refuses.
void infer(const Shape& shape, const Weights& weights, const InferenceJob& job,
           const InferenceScratch& scratch, void* stream);

}  // namespace plr::cuda::grid_cnn
