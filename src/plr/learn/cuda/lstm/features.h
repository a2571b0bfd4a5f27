// The layers below the LSTM in training: convolution and direction, forward and backward.
//
// Arrays of "Io" are floats, or bf16 with Numbers::kBf16 (recurrence.h).  Sums are fp32 and taken
// in a fixed order.  Runs on every GPU since Ampere.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/lstm/network.h"
#include "plr/learn/cuda/lstm/recurrence.h"

namespace plr::cuda::lstm {

struct FeaturePass {
  Shape shape;
  Numbers numbers = Numbers::kExact;
  Weights weights;
  const std::uint8_t* obs = nullptr;  // [rows, height, width, channels], aligned to 4 bytes
  int rows = 0;
};

// Whether the kernels support such observations: an image of three channels, at most 736 bytes.
bool can_compute_features(const Shape& shape);

// Enqueue kernels; `stream` is a cudaStream_t.  Throw std::runtime_error on a CUDA error.
//   features    [rows, feature_pitch] Io
//   features_grad  likewise
//   partials    [feature_blocks(rows), feature_sums(shape)]: scratch memory
void compute_features(const FeaturePass& pass, void* features, void* stream);
void features_backward(const FeaturePass& pass, const void* features, const void* features_grad,
                       float* partials, const Gradients& gradients, void* stream);
int feature_blocks(int rows);
int feature_sums(const Shape& shape);

// Copies the input weight and its bias to rows of feature_pitch Io, the four gates of a unit
// together: [units, 4, feature_pitch].
void pack_input_weight(const Shape& shape, Numbers numbers, const Weights& weights, void* packed,
                       void* stream);

}  // namespace plr::cuda::lstm
