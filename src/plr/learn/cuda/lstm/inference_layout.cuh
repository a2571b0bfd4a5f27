// How a cluster of UNITS / 16 thread blocks divides inference for 8 items, and its shared memory.
//
// Thread block i < 8 computes the features and the heads of item i.  Thread block r computes the
// gates of units 16 r .. 16 r + 15 of all items: 64 rows, row 16 w + 4 k + j being gate k of unit
// 4 w + j, times h of all units, then times all features.
#pragma once

#include "plr/learn/cuda/lstm/network.h"

namespace plr::cuda::lstm {

inline constexpr int kItems = 8;            // of a cluster
inline constexpr int kInferenceUnits = 16;  // of a thread block
inline constexpr int kGateRows = 4 * kInferenceUnits;
inline constexpr int kInferenceThreads = 256;
inline constexpr int kHeads = 2 * kHeadUnits;        // the policy's hidden units, then the value's
inline constexpr int kOutputPitch = kHeadUnits + 1;  // floats of an output's row of weights

// Offsets of a thread block's arrays in shared memory, in bytes, and what they depend on.  Rows of
// operands are 64 bytes apart modulo 128, so that lanes of two rows read without bank conflicts.
struct InferenceLayout {
  int width, channels, directions, actions, conv_width, conv_pixels, num_features, pitch, obs_bytes;
  int h_row, x_row, gate_row;  // bytes of a row
  // A copy of packed weights: those of the gates last.
  int conv, conv_bias, direction, direction_bias, head_hidden, head_bias, outputs, output_bias;
  int gates, weights_end;
  int raw, codes, features, h, x, half_sums, new_hidden, partials, units, total;

  explicit InferenceLayout(const Shape& s)
      : width(s.width),
        channels(s.channels),
        directions(s.directions),
        actions(s.actions),
        conv_width(s.conv_width()),
        conv_pixels(s.conv_pixels()),
        num_features(s.num_features()),
        pitch(s.feature_pitch()),
        obs_bytes(s.obs_bytes()) {
    constexpr int kFloat = 4;
    const auto padded = [](int bytes) { return bytes % 128 == 64 ? bytes : bytes + 64; };
    h_row = padded(s.units * kFloat);
    x_row = padded(pitch * kFloat);
    gate_row = padded((s.units + pitch) * kFloat);
    total = 0;
    const auto allocate = [&](int bytes) {
      const int begin = total;
      total += (bytes + 127) / 128 * 128;
      return begin;
    };
    conv = allocate(kFilters * kTaps * kFloat);
    conv_bias = allocate(kFilters * kFloat);
    direction = allocate(kDirectionUnits * directions * kFloat);
    direction_bias = allocate(kDirectionUnits * kFloat);
    head_hidden = allocate(kInferenceUnits * 2 * kHeadUnits * kFloat);
    head_bias = allocate(2 * kHeadUnits * kFloat);
    outputs = allocate((actions + 1) * kOutputPitch * kFloat);  // the logits', then the value's
    output_bias = allocate((actions + 1) * kFloat);
    gates = allocate(kGateRows * gate_row);
    weights_end = total;
    raw = allocate(obs_bytes + 32);  // in words of 16 bytes
    codes = allocate(obs_bytes * kFloat);
    features = allocate(pitch * kFloat);
    h = allocate(kItems * h_row);
    x = allocate(kItems * x_row);
    half_sums = allocate(4 * 32 * 4 * kFloat);
    new_hidden = allocate(kInferenceUnits * kItems * kFloat);
    partials = allocate(s.units / kInferenceUnits * 2 * kHeadUnits * kFloat);
    units = allocate(2 * kHeadUnits * kFloat);
  }
};

}  // namespace plr::cuda::lstm
