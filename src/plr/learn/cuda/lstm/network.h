// The recurrent network as the kernels see it: its shape, and where its weights and gradients are.
//
// A 3x3 convolution with 16 filters and ReLU over the image, five linear units over the one-hot
// direction, an LSTM over both, and for the policy and the value 32 ReLU units and a linear head.
// The inputs of the LSTM are called features; a feature that is always 1 follows them, whose weight
// is the bias, and zeros up to a multiple of 16.
#pragma once

namespace plr::cuda::lstm {

inline constexpr int kImageChannels = 3;
inline constexpr int kTapSide = 3;  // of the convolution's kernel
inline constexpr int kTaps = kTapSide * kTapSide * kImageChannels;
inline constexpr int kFilters = 16;
inline constexpr int kDirectionUnits = 5;
inline constexpr int kHeadUnits = 32;    // of the policy, and as many of the value
inline constexpr float kCodeScale = 10;  // divides the codes of the image
inline constexpr int kMaxActions = 32;   // one per lane of a warp

struct Shape {
  int height = 0;  // of an observation
  int width = 0;
  int channels = 0;    // of an observation: the image's and, if there is one, the direction
  int directions = 0;  // 0: there is no direction
  int units = 0;
  int actions = 0;

  int conv_width() const { return width - kTapSide + 1; }
  int conv_pixels() const { return (height - kTapSide + 1) * conv_width(); }
  int num_features() const {
    return conv_pixels() * kFilters + (directions > 0 ? kDirectionUnits : 0);
  }
  int feature_pitch() const { return (num_features() + 1 + 15) / 16 * 16; }
  int obs_bytes() const { return height * width * channels; }
};

// Named as in lstm_network.h: the convolution [out][3][3][in], the others [out][in].  The direction
// is null if there is none.
struct Weights {
  const float* conv = nullptr;
  const float* conv_bias = nullptr;
  const float* direction = nullptr;
  const float* direction_bias = nullptr;
  const float* input = nullptr;  // [4 units][features]
  const float* input_bias = nullptr;
  const float* hidden = nullptr;  // [4 units][units]
  const float* policy_hidden = nullptr;
  const float* policy_hidden_bias = nullptr;
  const float* policy = nullptr;
  const float* policy_bias = nullptr;
  const float* value_hidden = nullptr;
  const float* value_hidden_bias = nullptr;
  const float* value = nullptr;
  const float* value_bias = nullptr;
};

// Gradients are added here; laid out as the weights.  Those of the weights that are multiplied with
// all samples at once are not here: the caller computes them.
struct Gradients {
  float* conv = nullptr;
  float* conv_bias = nullptr;
  float* direction = nullptr;
  float* direction_bias = nullptr;
  float* policy_hidden_bias = nullptr;
  float* policy = nullptr;
  float* policy_bias = nullptr;
  float* value_hidden_bias = nullptr;
  float* value = nullptr;
  float* value_bias = nullptr;
};

}  // namespace plr::cuda::lstm
