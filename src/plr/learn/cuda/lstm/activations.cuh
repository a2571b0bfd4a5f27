// Activation functions of the LSTM, and the gates of a unit from a tile of a matrix product.
#pragma once

#include "plr/learn/cuda/common/sample_action.cuh"

namespace plr::cuda::lstm {

// Errors of about 1e-7.
__device__ inline float sigmoid(float x) { return __fdividef(1.0F, 1.0F + __expf(-x)); }
__device__ inline float tanh_of(float x) { return fmaf(2.0F, sigmoid(2.0F * x), -1.0F); }

struct Gates {
  float i, f, g, o;
};

// A warp has a tile of 16 rows and 8 columns (ptx.cuh): row 4 k + j is gate k of unit j, a column
// is a sequence.  Lanes of the same unit exchange numbers, so that each has all four gates of one
// sequence: of column 2 q in lanes below 16, of column 2 q + 1 in the others, whose `is_upper` is
// true.
__device__ inline Gates gates_of_lane(const float (&v)[4], bool is_upper) {
  const float first = __shfl_xor_sync(kWholeWarp, is_upper ? v[0] : v[1], 16);
  const float second = __shfl_xor_sync(kWholeWarp, is_upper ? v[2] : v[3], 16);
  return is_upper ? Gates{first, v[1], second, v[3]} : Gates{v[0], first, v[2], second};
}

}  // namespace plr::cuda::lstm
