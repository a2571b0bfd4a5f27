// How are all convolutions of Procgen's network done in one kernel?
//
// In the three stages that a Seer (impala/forward.cuh) goes through.
#pragma once

#include "plr/learn/cuda/impala/forward.cuh"

namespace plr::cuda::impala {

// 64 x 64 x 3 -> 32 x 32 x 16.  A warp owns two pooled rows, all channels.
template <int BLOCKS, int SLOTS, bool RELU_SKIP, class Keep>
__device__ void Seer<BLOCKS, SLOTS, RELU_SKIP, Keep>::stage1() const {
  const std::uint32_t A = memory + M::kA1;
  const std::uint32_t B = memory + M::kB1;
  const int y = 2 * warp;
  const auto expect = [&](int l) {
    expect_halo<BLOCKS, 1, 1024>(l, y == 0, y + 2 == Band1::kRows, nearby, lane);
  };
  float x[2][2][2][4];  // [row][tile][n-tile][fragment]
  first_layer(y, x, expect);
  if constexpr (BLOCKS > 1) cluster_wait();
  keep.template mask<std::uint32_t>(1, put<Band1>(0, A, x, y, 0, true));
  std::uint32_t b[9][4];
  load_weights(b, acquire(1) + lane * 16, 512);
  finish<Band1>(0, A);
  if constexpr (M::kShares) zero_B1();

  const std::uint32_t place = Band1::offset(y - 1, tile_row - 1) + half;
#pragma unroll 1
  for (int block = 0; block < 2; ++block) {
    const int l = 1 + 2 * block;
    float h[2][2][2][4];
    begin_block(l, 2 * q, h, x);
    conv_rows<Band1>(h, A + place, b, [&] { expect(l); });
    load_weights(b, acquire(l + 1) + lane * 16, 512);
    keep.template mask<std::uint32_t>(l + 1, put<Band1>(l, B, h, y, 0, true));
    finish<Band1>(l, B);
    conv_rows<Band1>(x, B + place, b, [&] { expect(l + 1); });
    if (block == 0) load_weights(b, acquire(l + 2) + lane * 16, 512);
    // The next stage's convolution takes x as it is.
    const std::uint32_t positive = put<Band1>(l + 1, A, x, y, 0, block == 0);
    if (block == 0) keep.template mask<std::uint32_t>(l + 2, positive);
    finish<Band1>(l + 1, A);
  }
}

template <int BLOCKS, int SLOTS, bool RELU_SKIP, class Keep>
template <class Expect>
__device__ void Seer<BLOCKS, SLOTS, RELU_SKIP, Keep>::first_layer(int y, float (&x)[2][2][2][4],
                                                                  Expect expect) const {
  expect(0);
  const std::uint32_t from = acquire(0) + lane * 16;
  std::uint32_t b[3][4];
#pragma unroll
  for (int dy = 0; dy < 3; ++dy) load128(b[dy], from + dy * 512);
  float last_odd[2][2][2];
  fill_with_least(last_odd);
#pragma unroll
  for (int t = 0; t < 4; ++t) {
    float sum[5][2][4] = {};
#pragma unroll
    for (int r = 0; r < 7; ++r) {
      // k is 4 * dx + channel: the four pixels of a window lie side by side.
      const std::uint32_t at =
          memory + M::kImage + (2 * y + r) * kImagePitch + (16 * t + 2 * g) * 8 + q * 4;
      const std::uint32_t a[4] = {load32(at), load32(at + 8), load32(at + 16), load32(at + 24)};
#pragma unroll
      for (int dy = 0; dy < 3; ++dy) {
        const int out = r - dy;
        if (out < 0 || out > 4) continue;
        mma(sum[out][0], a, b[dy][0], b[dy][1]);
        mma(sum[out][1], a, b[dy][2], b[dy][3]);
      }
    }
    float pooled[2][2][2];
    pool<0, 2>(pooled, sum, last_odd, y, t, 0);
#pragma unroll
    for (int row = 0; row < 2; ++row) {
#pragma unroll
      for (int tile = 0; tile < 2; ++tile) {
        const float2 add = bias(0, tile * 8 + 2 * q);
        x[row][t >> 1][tile][(t & 1) * 2] = pooled[row][tile][0] + add.x;
        x[row][t >> 1][tile][(t & 1) * 2 + 1] = pooled[row][tile][1] + add.y;
      }
    }
  }
}

// 32 x 32 x 16 -> 16 x 16 x 32.  Two warps own two pooled rows, 16 channels each.
template <int BLOCKS, int SLOTS, bool RELU_SKIP, class Keep>
__device__ void Seer<BLOCKS, SLOTS, RELU_SKIP, Keep>::stage2() const {
  const std::uint32_t A = memory + M::kA2;
  const std::uint32_t B = memory + M::kB2;
  const int y = 2 * (warp >> 1);
  const int part = warp & 1;
  const int channel = part * 16 + 2 * q;
  const std::uint32_t place_of_weights = part * 512 + lane * 16;
  const auto expect = [&](int l) {
    expect_halo<BLOCKS, 2, 1024>(l, y == 0, y + 2 == Band2::kRows, nearby, lane);
  };
  if constexpr (M::kShares) zero_stage2();
  float x[2][1][2][4];
  {
    std::uint32_t b[9][4];
    load_weights(b, acquire(5) + place_of_weights, 1024);
    float last_odd[2][2][2];
    fill_with_least(last_odd);
#pragma unroll
    for (int t = 0; t < 2; ++t) {
      float sum[5][2][4] = {};
      conv_to_pool<Band1, 2>(
          sum, memory + M::kA1 + Band1::offset(2 * y - 2, 16 * t + pool_pixel - 1) + half, b, [&] {
            if (t == 0) expect(5);
          });
      float pooled[2][2][2];
      pool<1, 2>(pooled, sum, last_odd, y, t, 2 * part);
#pragma unroll
      for (int row = 0; row < 2; ++row) {
#pragma unroll
        for (int tile = 0; tile < 2; ++tile) {
          const float2 add = bias(5, tile * 8 + channel);
          x[row][0][tile][t * 2] = pooled[row][tile][0] + add.x;
          x[row][0][tile][t * 2 + 1] = pooled[row][tile][1] + add.y;
        }
      }
    }
    keep.template mask<std::uint16_t>(6, put<Band2>(5, A, x, y, part * 16, true));
  }
  std::uint32_t b[18][4];
  load_weights(b, acquire(6) + place_of_weights, 1024);
  finish<Band2>(5, A);

  const std::uint32_t place = Band2::offset(y - 1, tile_row - 1) + half;
#pragma unroll 1
  for (int block = 0; block < 2; ++block) {
    const int l = 6 + 2 * block;
    float h[2][1][2][4];
    begin_block(l, channel, h, x);
    conv_rows<Band2>(h, A + place, b, [&] { expect(l); });
    load_weights(b, acquire(l + 1) + place_of_weights, 1024);
    keep.template mask<std::uint16_t>(l + 1, put<Band2>(l, B, h, y, part * 16, true));
    finish<Band2>(l, B);
    conv_rows<Band2>(x, B + place, b, [&] { expect(l + 1); });
    if (block == 0) load_weights(b, acquire(l + 2) + place_of_weights, 1024);
    const std::uint32_t positive = put<Band2>(l + 1, A, x, y, part * 16, block == 0);
    if (block == 0) keep.template mask<std::uint16_t>(l + 2, positive);
    finish<Band2>(l + 1, A);
  }
}

// 16 x 16 x 32 -> 8 x 8 x 32.  Four warps own two pooled rows, 8 channels each.
template <int BLOCKS, int SLOTS, bool RELU_SKIP, class Keep>
__device__ void Seer<BLOCKS, SLOTS, RELU_SKIP, Keep>::stage3(__nv_bfloat16* features) const {
  const std::uint32_t A = memory + M::kA3;
  const std::uint32_t B = memory + M::kB3;
  const int y = 2 * (warp >> 2);
  const int tile = warp & 3;
  const int channel = tile * 8 + 2 * q;
  const std::uint32_t place_of_weights = tile * 256 + lane * 8;
  const auto expect = [&](int l) {
    expect_halo<BLOCKS, 4, 512>(l, y == 0, y + 2 == Band3::kRows, nearby, lane);
  };
  std::uint32_t b[18][2];
  float x[4];  // two channels of row y, then of row y + 1
  {
    float sum[5][1][4] = {};
    float last_odd[2][1][2];
    float pooled[2][1][2];
    fill_with_least(last_odd);
    load_weights(b, acquire(10) + place_of_weights, 1024);
    conv_to_pool<Band2, 1>(sum, memory + M::kA2 + Band2::offset(2 * y - 2, pool_pixel - 1) + half,
                           b, [&] { expect(10); });
    pool<2, 1>(pooled, sum, last_odd, y, 0, tile);
    const float2 add = bias(10, channel);
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      x[2 * row] = pooled[row][0][0] + add.x;
      x[2 * row + 1] = pooled[row][0][1] + add.y;
    }
    keep.template mask<std::uint8_t>(11, put_small<Band3>(10, A, x, y, tile * 8, true));
  }
  load_weights(b, acquire(11) + place_of_weights, 1024);
  finish<Band3>(10, A);

  const std::uint32_t place = Band3::offset(y - 1 + (tile_row >> 3), (tile_row & 7) - 1) + half;
#pragma unroll 1
  for (int block = 0; block < 2; ++block) {
    const int l = 11 + 2 * block;
    const float2 add1 = bias(l, channel);
    const float2 add2 = bias(l + 1, channel);
    float h[4] = {add1.x, add1.y, add1.x, add1.y};
    conv_small<Band3>(h, A + place, b, [&] { expect(l); });
    load_weights(b, acquire(l + 1) + place_of_weights, 1024);
    keep.template mask<std::uint8_t>(l + 1, put_small<Band3>(l, B, h, y, tile * 8, true));
    finish<Band3>(l, B);
#pragma unroll
    for (int i = 0; i < 4; ++i) x[i] = skip(x[i]) + ((i & 1) != 0 ? add2.y : add2.x);
    conv_small<Band3>(x, B + place, b, [&] { expect(l + 1); });
    if (block == 0) {
      load_weights(b, acquire(l + 2) + place_of_weights, 1024);
      keep.template mask<std::uint8_t>(l + 2, put_small<Band3>(l + 1, A, x, y, tile * 8, true));
      finish<Band3>(l + 1, A);
    }
  }
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    const int pixel = (rank * Band3::kRows + y + row) * 8 + g;
    *reinterpret_cast<std::uint32_t*>(features + pixel * 32 + channel) =
        pack_bf16(fmaxf(x[2 * row], 0.0F), fmaxf(x[2 * row + 1], 0.0F));
  }
}

}  // namespace plr::cuda::impala
