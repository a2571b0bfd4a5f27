// The three stages of the forward pass: members of Forward (forward.cuh).
#pragma once

#include "plr/learn/cuda/impala/forward.cuh"

namespace plr::cuda::impala {

// 64 x 64 x 3 -> 32 x 32 x 16.  A warp owns two pooled rows, all channels.
template <class Smem, bool RELU_SKIP, class Save>
__device__ void Forward<Smem, RELU_SKIP, Save>::stage1() const {
  const std::uint32_t A = memory + Smem::kA1;
  const std::uint32_t B = memory + Smem::kB1;
  const int y = 2 * warp;
  const auto wait_halo = [&](int l) {
    impala::wait_halo<kClusterSize, 1, 1024>(l, y == 0, y + 2 == Stage1Rows::kRows, halo, lane);
  };
  float x[2][2][2][4];  // [row][tile of 16 pixels][n-tile][fragment]
  first_layer(y, x, wait_halo);
  if constexpr (kClusterSize > 1) cluster_wait();
  finish_reading_into<Stage1Rows>(A);
  save.template relu_mask<std::uint32_t>(kStage1 + 1, store<Stage1Rows>(kStage1, A, x, y, 0, true));
  std::uint32_t b[9][4];
  load_weights(b, wait_weights(kStage1 + 1) + lane * 16, 512);
  finish_layer<Stage1Rows>(kStage1, A);
  if constexpr (Smem::kReusesMemory) zero_halo_B1();

  const std::uint32_t input_offset = Stage1Rows::offset(y - 1, tile_row - 1) + half;
#pragma unroll 1
  for (int block = 0; block < 2; ++block) {  // residual blocks
    const int l = residual_layer(kStage1, block);
    float h[2][2][2][4];
    begin_residual_block(l, 2 * q, h, x);
    conv_rows<Stage1Rows>(h, A + input_offset, b, [&] { wait_halo(l); });
    finish_reading();
    load_weights(b, wait_weights(l + 1) + lane * 16, 512);
    save.template relu_mask<std::uint32_t>(l + 1, store<Stage1Rows>(l, B, h, y, 0, true));
    finish_layer<Stage1Rows>(l, B);
    conv_rows<Stage1Rows>(x, B + input_offset, b, [&] { wait_halo(l + 1); });
    finish_reading();
    if (block == 0) load_weights(b, wait_weights(l + 2) + lane * 16, 512);
    // The next stage's convolution reads x without ReLU.
    const std::uint32_t positive = store<Stage1Rows>(l + 1, A, x, y, 0, block == 0);
    if (block == 0) save.template relu_mask<std::uint32_t>(l + 2, positive);
    finish_layer<Stage1Rows>(l + 1, A);
  }
}

template <class Smem, bool RELU_SKIP, class Save>
template <class WaitHalo>
__device__ void Forward<Smem, RELU_SKIP, Save>::first_layer(int y, float (&x)[2][2][2][4],
                                                            WaitHalo wait_halo) const {
  wait_halo(0);
  const std::uint32_t from = wait_weights(kStage1) + lane * 16;
  std::uint32_t b[3][4];
#pragma unroll
  for (int dy = 0; dy < 3; ++dy) ld_shared_v4(b[dy], from + dy * 512);
  float last_odd[2][2][2];
  fill_minus_infinity(last_odd);
#pragma unroll
  for (int t = 0; t < 4; ++t) {
    float sum[5][2][4] = {};
#pragma unroll
    for (int r = 0; r < 7; ++r) {
      // k is 4 * dx + channel: the four pixels of a window's row are consecutive.
      const std::uint32_t at =
          memory + Smem::kImage + (2 * y + r) * kImagePitch + (16 * t + 2 * g) * 8 + q * 4;
      const std::uint32_t a[4] = {ld_shared_u32(at), ld_shared_u32(at + 8), ld_shared_u32(at + 16),
                                  ld_shared_u32(at + 24)};
#pragma unroll
      for (int dy = 0; dy < 3; ++dy) {
        const int out = r - dy;
        if (out < 0 || out > 4) continue;
        mma_bf16(sum[out][0], a, b[dy][0], b[dy][1]);
        mma_bf16(sum[out][1], a, b[dy][2], b[dy][3]);
      }
    }
    float pooled[2][2][2];
    pool<0, 2>(pooled, sum, last_odd, y, t, 0);
#pragma unroll
    for (int row = 0; row < 2; ++row) {
#pragma unroll
      for (int tile = 0; tile < 2; ++tile) {
        const float2 add = bias(kStage1, tile * 8 + 2 * q);
        x[row][t >> 1][tile][(t & 1) * 2] = pooled[row][tile][0] + add.x;
        x[row][t >> 1][tile][(t & 1) * 2 + 1] = pooled[row][tile][1] + add.y;
      }
    }
  }
}

// 32 x 32 x 16 -> 16 x 16 x 32.  Two warps own two pooled rows, 16 channels each.
template <class Smem, bool RELU_SKIP, class Save>
__device__ void Forward<Smem, RELU_SKIP, Save>::stage2() const {
  const std::uint32_t A = memory + Smem::kA2;
  const std::uint32_t B = memory + Smem::kB2;
  const int y = 2 * (warp >> 1);
  const int channel_half = warp & 1;
  const int channel = channel_half * 16 + 2 * q;
  const std::uint32_t weight_offset = channel_half * 512 + lane * 16;
  const auto wait_halo = [&](int l) {
    impala::wait_halo<kClusterSize, 2, 1024>(l, y == 0, y + 2 == Stage2Rows::kRows, halo, lane);
  };
  if constexpr (Smem::kReusesMemory) zero_halos_stage2();
  float x[2][1][2][4];
  {
    std::uint32_t b[9][4];
    load_weights(b, wait_weights(kStage2) + weight_offset, 1024);
    float last_odd[2][2][2];
    fill_minus_infinity(last_odd);
#pragma unroll
    for (int t = 0; t < 2; ++t) {
      float sum[5][2][4] = {};
      conv_to_pool<Stage1Rows, 2>(
          sum, memory + Smem::kA1 + Stage1Rows::offset(2 * y - 2, 16 * t + pool_pixel - 1) + half,
          b, [&] {
            if (t == 0) wait_halo(kStage2);
          });
      float pooled[2][2][2];
      pool<1, 2>(pooled, sum, last_odd, y, t, 2 * channel_half);
#pragma unroll
      for (int row = 0; row < 2; ++row) {
#pragma unroll
        for (int tile = 0; tile < 2; ++tile) {
          const float2 add = bias(kStage2, tile * 8 + channel);
          x[row][0][tile][t * 2] = pooled[row][tile][0] + add.x;
          x[row][0][tile][t * 2 + 1] = pooled[row][tile][1] + add.y;
        }
      }
    }
    finish_reading_into<Stage2Rows>(A);
    save.template relu_mask<std::uint16_t>(
        kStage2 + 1, store<Stage2Rows>(kStage2, A, x, y, channel_half * 16, true));
  }
  std::uint32_t b[18][4];
  load_weights(b, wait_weights(kStage2 + 1) + weight_offset, 1024);
  finish_layer<Stage2Rows>(kStage2, A);

  const std::uint32_t input_offset = Stage2Rows::offset(y - 1, tile_row - 1) + half;
#pragma unroll 1
  for (int block = 0; block < 2; ++block) {  // residual blocks
    const int l = residual_layer(kStage2, block);
    float h[2][1][2][4];
    begin_residual_block(l, channel, h, x);
    conv_rows<Stage2Rows>(h, A + input_offset, b, [&] { wait_halo(l); });
    finish_reading();
    load_weights(b, wait_weights(l + 1) + weight_offset, 1024);
    save.template relu_mask<std::uint16_t>(l + 1,
                                           store<Stage2Rows>(l, B, h, y, channel_half * 16, true));
    finish_layer<Stage2Rows>(l, B);
    conv_rows<Stage2Rows>(x, B + input_offset, b, [&] { wait_halo(l + 1); });
    finish_reading();
    if (block == 0) load_weights(b, wait_weights(l + 2) + weight_offset, 1024);
    const std::uint32_t positive = store<Stage2Rows>(l + 1, A, x, y, channel_half * 16, block == 0);
    if (block == 0) save.template relu_mask<std::uint16_t>(l + 2, positive);
    finish_layer<Stage2Rows>(l + 1, A);
  }
}

// 16 x 16 x 32 -> 8 x 8 x 32.  Four warps own two pooled rows, 8 channels each.
template <class Smem, bool RELU_SKIP, class Save>
__device__ void Forward<Smem, RELU_SKIP, Save>::stage3(__nv_bfloat16* features) const {
  const std::uint32_t A = memory + Smem::kA3;
  const std::uint32_t B = memory + Smem::kB3;
  const int y = 2 * (warp >> 2);
  const int tile = warp & 3;  // n-tile
  const int channel = tile * 8 + 2 * q;
  const std::uint32_t weight_offset = tile * 256 + lane * 8;
  const auto wait_halo = [&](int l) {
    impala::wait_halo<kClusterSize, 4, 512>(l, y == 0, y + 2 == Stage3Rows::kRows, halo, lane);
  };
  std::uint32_t b[18][2];
  float x[4];  // two channels of row y, then of row y + 1
  {
    float sum[5][1][4] = {};
    float last_odd[2][1][2];
    float pooled[2][1][2];
    fill_minus_infinity(last_odd);
    load_weights(b, wait_weights(kStage3) + weight_offset, 1024);
    conv_to_pool<Stage2Rows, 1>(
        sum, memory + Smem::kA2 + Stage2Rows::offset(2 * y - 2, pool_pixel - 1) + half, b,
        [&] { wait_halo(kStage3); });
    pool<2, 1>(pooled, sum, last_odd, y, 0, tile);
    const float2 add = bias(kStage3, channel);
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      x[2 * row] = pooled[row][0][0] + add.x;
      x[2 * row + 1] = pooled[row][0][1] + add.y;
    }
    finish_reading_into<Stage3Rows>(A);
    save.template relu_mask<std::uint8_t>(
        kStage3 + 1, store_small<Stage3Rows>(kStage3, A, x, y, tile * 8, true));
  }
  load_weights(b, wait_weights(kStage3 + 1) + weight_offset, 1024);
  finish_layer<Stage3Rows>(kStage3, A);

  // The 16 rows of a tile are 8 pixels of row y and 8 of row y + 1.
  const std::uint32_t input_offset =
      Stage3Rows::offset(y - 1 + (tile_row >> 3), (tile_row & 7) - 1) + half;
#pragma unroll 1
  for (int block = 0; block < 2; ++block) {  // residual blocks
    const int l = residual_layer(kStage3, block);
    const float2 bias1 = bias(l, channel);
    const float2 bias2 = bias(l + 1, channel);
    float h[4] = {bias1.x, bias1.y, bias1.x, bias1.y};
    conv_small<Stage3Rows>(h, A + input_offset, b, [&] { wait_halo(l); });
    finish_reading();
    load_weights(b, wait_weights(l + 1) + weight_offset, 1024);
    save.template relu_mask<std::uint8_t>(l + 1,
                                          store_small<Stage3Rows>(l, B, h, y, tile * 8, true));
    finish_layer<Stage3Rows>(l, B);
#pragma unroll
    for (int i = 0; i < 4; ++i) x[i] = skip(x[i]) + ((i & 1) != 0 ? bias2.y : bias2.x);
    conv_small<Stage3Rows>(x, B + input_offset, b, [&] { wait_halo(l + 1); });
    if (block == 0) {
      finish_reading();
      load_weights(b, wait_weights(l + 2) + weight_offset, 1024);
      save.template relu_mask<std::uint8_t>(
          l + 2, store_small<Stage3Rows>(l + 1, A, x, y, tile * 8, true));
      finish_layer<Stage3Rows>(l + 1, A);
    }
  }
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    const int pixel = (rank * Stage3Rows::kRows + y + row) * 8 + g;
    *reinterpret_cast<std::uint32_t*>(features + pixel * 32 + channel) =
        pack_bf16(fmaxf(x[2 * row], 0.0F), fmaxf(x[2 * row + 1], 0.0F));
  }
}

}  // namespace plr::cuda::impala
