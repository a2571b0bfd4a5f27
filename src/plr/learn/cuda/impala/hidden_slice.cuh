// A warp's share of the hidden layer in inference: 16 images times one slice of the features times
// 32 units, on tensor cores.
#pragma once

#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/impala/layers.h"

namespace plr::cuda::impala {

inline constexpr int kTileImages = 16;

// The warp's weights of a slice.
__device__ inline void load_hidden_weights(uint4 (&b)[kHiddenSteps][2], const uint4* packed,
                                           int slice, int warp, int lane) {
  const uint4* from = packed + (slice * kHiddenWarps + warp) * kHiddenSteps * 2 * 32 + lane;
#pragma unroll
  for (int k = 0; k < kHiddenSteps; ++k) {
    b[k][0] = __ldg(from + 2 * k * 32);
    b[k][1] = __ldg(from + (2 * k + 1) * 32);
  }
}

// sum[n-tile][fragment] += features * weights.  `row`: this lane's ldmatrix address for the slice's
// features of the 16 images.
__device__ inline void multiply_slice(float (&sum)[4][4], std::uint32_t row,
                                      const uint4 (&b)[kHiddenSteps][2]) {
#pragma unroll
  for (int k = 0; k < kHiddenSteps; ++k) {
    std::uint32_t a[4];
    ldmatrix_x4(a, row + k * 32);
    mma_bf16(sum[0], a, b[k][0].x, b[k][0].y);
    mma_bf16(sum[1], a, b[k][0].z, b[k][0].w);
    mma_bf16(sum[2], a, b[k][1].x, b[k][1].y);
    mma_bf16(sum[3], a, b[k][1].z, b[k][1].w);
  }
}

}  // namespace plr::cuda::impala
