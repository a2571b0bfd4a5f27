// The grid CNN as the kernels see it: its shape, and where its weights and gradients are.
//
// Three 2x2 convolutions with 16, 32 and 32 or 64 channels, each followed by ReLU, the first one
// optionally by a 2x2 max pool; then a hidden layer of 64 tanh units for the actor and one for the
// critic, or one for both, and two linear heads.
#pragma once

namespace plr::cuda::grid_cnn {

inline constexpr int kObsChannels = 3;
inline constexpr int kConv1Channels = 16;       // outputs of the first convolution
inline constexpr int kConv2Channels = 32;       // outputs of the second convolution
inline constexpr int kHidden = 64;              // units of a hidden layer
inline constexpr int kUnits = 2 * kHidden;      // the actor's, then the critic's
inline constexpr int kMaxInferredActions = 32;  // one per lane of a warp

struct Shape {
  int height = 0;  // of an observation
  int width = 0;
  int channels = 0;  // of the last convolution
  bool pool = true;
  int num_actions = 0;

  int pooled_height() const { return pool ? (height - 1) / 2 : height - 1; }
  int pooled_width() const { return pool ? (width - 1) / 2 : width - 1; }
  int num_features() const { return (pooled_height() - 2) * (pooled_width() - 2) * channels; }
};

// Named as in grid_cnn_network.h: convolutions [out][2][2][in], hidden layers [64][features], heads
// [out][64].
struct Weights {
  const float* conv1 = nullptr;
  const float* conv1_bias = nullptr;
  const float* conv2 = nullptr;
  const float* conv2_bias = nullptr;
  const float* conv3 = nullptr;
  const float* conv3_bias = nullptr;
  const float* actor = nullptr;
  const float* actor_bias = nullptr;
  const float* critic = nullptr;  // equal to `actor` if the hidden layer is shared
  const float* critic_bias = nullptr;
  const float* policy = nullptr;
  const float* policy_bias = nullptr;
  const float* value = nullptr;
  const float* value_bias = nullptr;
};

// Gradients are added here; laid out as the weights.
struct Gradients {
  float* conv1 = nullptr;
  float* conv1_bias = nullptr;
  float* conv2 = nullptr;
  float* conv2_bias = nullptr;
  float* conv3 = nullptr;
  float* conv3_bias = nullptr;
  float* actor = nullptr;
  float* actor_bias = nullptr;
  float* critic = nullptr;  // null if the hidden layer is shared
  float* critic_bias = nullptr;
  float* policy = nullptr;
  float* policy_bias = nullptr;
  float* value = nullptr;
  float* value_bias = nullptr;
};

}  // namespace plr::cuda::grid_cnn
