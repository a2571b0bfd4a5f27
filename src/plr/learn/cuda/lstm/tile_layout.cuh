// The packed weights and the shared memory of inference by tiles.
//
// The inputs of the gates are h of all units, then the features.  A matrix product has the weights
// as its first operand: tile m of 16 rows has units 4 m .. 4 m + 3, row 4 k + j being gate k of
// unit 4 m + j.  Packed weights are fragments (ptx.cuh): 16 inputs of a tile are 32 x 16 bytes,
// those of lane 0 first.
#pragma once

#include <algorithm>

#include "plr/learn/cuda/lstm/network.h"

namespace plr::cuda::lstm {

inline constexpr int kTileItems = 64;
inline constexpr int kTileHeads = 2 * kHeadUnits;  // the policy's hidden units, then the value's
inline constexpr int kHeadPitch = kHeadUnits + 1;  // floats of an output's row of weights
inline constexpr int kFragmentBytes = 32 * 16;     // of 16 rows and 16 inputs

struct TileLayout {
  int width, cells, channels, directions, actions, units, conv_width, conv_pixels, num_features,
      pitch, obs_bytes;
  int chunks;  // of 16 inputs of the gates
  // Offsets in the packed weights, in bytes.
  int gates, heads, floats, packed_end;
  // Offsets in the floats, which the kernel copies to shared memory.
  int conv, conv_bias, direction, direction_bias, head_bias, outputs, output_bias, num_floats;
  // Bytes of a row in shared memory, for an item: of operands an odd multiple of 16, so that eight
  // rows are read without bank conflicts.
  int input_row, hidden_row, raw_row;
  // Offsets in shared memory.  The new h replaces the codes, and the heads' hidden units the
  // inputs.
  int shared_floats, inputs, raw, codes, hidden, head_units, total;

  explicit TileLayout(const Shape& s)
      : width(s.width),
        cells(s.height * s.width),
        channels(s.channels),
        directions(s.directions),
        actions(s.actions),
        units(s.units),
        conv_width(s.conv_width()),
        conv_pixels(s.conv_pixels()),
        num_features(s.num_features()),
        pitch(s.feature_pitch()),
        obs_bytes(s.obs_bytes()),
        chunks((s.units + s.feature_pitch()) / 16) {
    int end = 0;
    const auto allocate = [&end](int count, int alignment) {
      const int begin = (end + alignment - 1) / alignment * alignment;
      end = begin + count;
      return begin;
    };
    conv = allocate(kFilters * kTaps, 1);
    conv_bias = allocate(kFilters, 1);
    direction = allocate(kDirectionUnits * directions, 1);
    direction_bias = allocate(kDirectionUnits, 1);
    head_bias = allocate(kTileHeads, 1);
    outputs = allocate((actions + 1) * kHeadPitch, 1);  // the logits', then the value's
    output_bias = allocate(actions + 1, 1);
    num_floats = end;

    end = 0;
    gates = allocate(units / 4 * chunks * kFragmentBytes, 16);
    heads = allocate(kTileHeads / 16 * (units / 16) * kFragmentBytes, 16);
    floats = allocate(num_floats * 4, 16);
    packed_end = end;

    input_row = 2 * (16 * chunks + 8);
    hidden_row = 2 * (units + 8);
    raw_row = (obs_bytes + 15 + 15) / 16 * 16;
    end = 0;
    shared_floats = allocate(num_floats * 4, 16);
    inputs = allocate(kTileItems * input_row, 16);
    raw = allocate(kTileItems * raw_row, 16);
    codes = allocate(kTileItems * std::max(cells * 16, hidden_row), 16);
    hidden = codes;
    head_units = inputs;
    total = end;
  }
};

}  // namespace plr::cuda::lstm
