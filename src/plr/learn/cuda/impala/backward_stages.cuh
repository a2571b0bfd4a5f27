// The three stages of the backward pass, from the last to the first: members of Backward
// (backward.cuh).
#pragma once

#include "plr/learn/cuda/impala/backward.cuh"

namespace plr::cuda::impala {

// 8 x 8 x 32.  Four warps own two rows, 8 channels each.  Begins with the ReLU of the features.
template <class Smem, bool RELU_SKIP, class Store>
__device__ void Backward<Smem, RELU_SKIP, Store>::stage3(const std::uint32_t* features,
                                                         const std::uint32_t* features_grad) const {
  const std::uint32_t A = memory + Smem::kA3;
  const std::uint32_t B = memory + Smem::kB3;
  const int y = 2 * (warp >> 2);
  const int tile = warp & 3;
  const std::uint32_t weight_offset = tile * 256 + lane * 8;
  float x[4];  // two channels of row y, then of row y + 1
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    const int at = image * (kNumFeatures / 2) + ((y + row) * 8 + g) * 16 + tile * 4 + q;
    const std::uint32_t v = features_grad[at] & positive_mask(features[at]);
    x[2 * row] = __uint_as_float(v << 16);
    x[2 * row + 1] = __uint_as_float(v & 0xffff0000U);
  }
  store_small_tile<Stage3Rows>(A, x, y, tile * 8, false, lane);
  const std::uint32_t input_offset =
      Stage3Rows::offset(y - 1 + (tile_row >> 3), (tile_row & 7) - 1) + half;
  copies.before_barrier();
  output_grads.before_barrier();
  __syncthreads();  // the copies' barriers are initialized, too
  output_grads.template store<Stage3Rows>(kLastLayer, A);
  std::uint32_t b[18][2];
  load_weights(b, wait_weights(kLastLayer) + weight_offset, 1024);
#pragma unroll 1
  for (int block = 1; block >= 0; --block) {  // residual blocks
    const int l = residual_layer(kStage3, block) + 1;
    const std::uint32_t positive2 = relu_mask<std::uint8_t>(l);
    const std::uint32_t positive1 = relu_mask<std::uint8_t>(l - 1);
    float h[4] = {};
    conv_small<Stage3Rows>(h, A + input_offset, b, [] {});
    mask_positive<4>(h, positive2);
    finish_reading();
    load_weights(b, wait_weights(l - 1) + weight_offset, 1024);
    store_small_tile<Stage3Rows>(B, h, y, tile * 8, false, lane);
    finish_layer(l);
    output_grads.template store<Stage3Rows>(l - 1, B);
    float residual[4] = {};
    conv_small<Stage3Rows>(residual, B + input_offset, b, [] {});
    add_residual_grad<4>(x, residual, positive1);
    finish_reading();
    if (block == 1) load_weights(b, wait_weights(l - 2) + weight_offset, 1024);
    store_small_tile<Stage3Rows>(A, x, y, tile * 8, false, lane);
    finish_layer(l - 1);
    if (block == 1) output_grads.template store<Stage3Rows>(l - 2, A);
  }
  for (int pool = 0; pool < 2; ++pool) copies.wait(Smem::kSlots + pool, 0);
  max_unpool<Stage3Rows, Stage2Rows>(kStage3, A, memory + Smem::kUnpooled3,
                                     memory + Smem::kArgmax3);
}

// 16 x 16 x 32.  Two warps own two rows, 16 channels each.
template <class Smem, bool RELU_SKIP, class Store>
__device__ void Backward<Smem, RELU_SKIP, Store>::stage2() const {
  const std::uint32_t A = memory + Smem::kA2;
  const std::uint32_t B = memory + Smem::kB2;
  const int y = 2 * (warp >> 1);
  const int channel_half = warp & 1;
  const std::uint32_t input_offset = Stage2Rows::offset(y - 1, tile_row - 1) + half;
  const std::uint32_t weight_offset = channel_half * 512 + lane * 16;
  float x[2][1][2][4] = {};
  std::uint32_t b[18][4];
  load_weights(b, wait_weights(kStage3) + weight_offset, 1024);
  conv_rows<Stage2Rows>(x, memory + Smem::kUnpooled3 + input_offset, b, [] {});
  finish_reading();
  load_weights(b, wait_weights(kStage3 - 1) + weight_offset, 1024);
  store_tile<Stage2Rows>(A, x, y, channel_half * 16, false, lane);
  finish_layer(kStage3);
  output_grads.template store<Stage2Rows>(kStage3 - 1, A);
#pragma unroll 1
  for (int block = 1; block >= 0; --block) {  // residual blocks
    const int l = residual_layer(kStage2, block) + 1;
    const std::uint32_t positive2 = relu_mask<std::uint16_t>(l);
    const std::uint32_t positive1 = relu_mask<std::uint16_t>(l - 1);
    float h[2][1][2][4] = {};
    conv_rows<Stage2Rows>(h, A + input_offset, b, [] {});
    mask_positive<16>(&h[0][0][0][0], positive2);
    finish_reading();
    load_weights(b, wait_weights(l - 1) + weight_offset, 1024);
    store_tile<Stage2Rows>(B, h, y, channel_half * 16, false, lane);
    finish_layer(l);
    output_grads.template store<Stage2Rows>(l - 1, B);
    float residual[2][1][2][4] = {};
    conv_rows<Stage2Rows>(residual, B + input_offset, b, [] {});
    add_residual_grad<16>(&x[0][0][0][0], &residual[0][0][0][0], positive1);
    finish_reading();
    if (block == 1) load_weights(b, wait_weights(l - 2) + weight_offset, 1024);
    store_tile<Stage2Rows>(A, x, y, channel_half * 16, false, lane);
    finish_layer(l - 1);
    if (block == 1) output_grads.template store<Stage2Rows>(l - 2, A);
  }
}

// The gradient before the second pool: the address of 16 of its 32 channels.
template <class Smem, bool RELU_SKIP, class Store>
__device__ std::uint32_t Backward<Smem, RELU_SKIP, Store>::unpooled2(int chunk) const {
  const std::uint32_t from = memory + Smem::kA2;
  const std::uint32_t to = memory + Smem::kUnpooled2;
  const std::uint32_t argmax = memory + Smem::kArgmax2;
  if constexpr (!Smem::kInPlace) {
    if (chunk == 0) {
      max_unpool<Stage2Rows, Unpooled2>(kStage2, from, to, argmax);
      zero_halo<Stage1Rows>(memory + Smem::kA1, no_halo, thread, kTrainThreads);
    }
    return to + chunk * 32;
  }
  if (chunk == 0) {
    zero_halo<Unpooled2>(to, no_halo, thread, kTrainThreads);
  } else {
    finish_reading();
  }
  max_unpool<Stage2Rows, Unpooled2>(kStage2, from, to, argmax, 2 * chunk);
  if (chunk == 1) {
    for (int layer = kStage2 - 1; layer >= 1; --layer) fetch_weights(layer);
  }
  return to;
}

// 32 x 32 x 16.  A warp owns four rows of 16 pixels, all channels.
template <class Smem, bool RELU_SKIP, class Store>
__device__ void Backward<Smem, RELU_SKIP, Store>::stage1() const {
  const std::uint32_t A = memory + Smem::kA1;
  const std::uint32_t B = memory + Smem::kB1;
  const int y = 4 * (warp >> 1);
  const int column_half = warp & 1;
  const int x0 = 16 * column_half;
  // In the forward pass a warp owned two rows of 32 pixels; its mask has, for both numbers of a
  // pair, four bits for each of [row][half of the row].  Here a warp owns one half of four rows: it
  // takes the bits of its half from two such warps.  0x6240 puts the bytes in the order even
  // numbers of the upper and lower two rows, then odd numbers.
  constexpr unsigned kInterleave = 0x6240;
  const auto relu_mask = [&](int l) {
    const auto* words = reinterpret_cast<const std::uint32_t*>(buffers->relu_masks[l]) +
                        image * kTrainThreads + (warp & ~1) * 32 + lane;
    const std::uint32_t upper = (words[0] >> (4 * column_half)) & 0x0f0f0f0fU;
    const std::uint32_t lower = (words[32] >> (4 * column_half)) & 0x0f0f0f0fU;
    return __byte_perm(upper | upper >> 4, lower | lower >> 4, kInterleave);
  };
  float x[4][2][4] = {};
  std::uint32_t b[9][4];
  const std::uint32_t stage2_weights = wait_weights(kStage2) + lane * 16;
#pragma unroll
  for (int chunk = 0; chunk < 2;
       ++chunk) {  // of 16 channels, since the registers do not hold the weights of 32
    const std::uint32_t from = unpooled2(chunk);
#pragma unroll
    for (int s = 0; s < 9; ++s) {
      ld_shared_v4(b[s], stage2_weights + ((s / 3 * 2 + chunk) * 3 + s % 3) * 512);
    }
    conv_four_rows<Unpooled2, 1>(x, from + Unpooled2::offset(y - 1, x0 + tile_row - 1) + half, b);
  }
  finish_reading();
  load_weights(b, wait_weights(kStage2 - 1) + lane * 16, 512);
  store_rows(A, kStage2 - 1, x, y, x0);
  finish_layer(kStage2);
  if constexpr (!Smem::kInPlace) zero_halo<Stage1Rows>(B, no_halo, thread, kTrainThreads);
  const std::uint32_t input_offset = Stage1Rows::offset(y - 1, x0 + tile_row - 1) + half;
#pragma unroll 1
  for (int block = 1; block >= 0; --block) {  // residual blocks
    const int l = residual_layer(kStage1, block) + 1;
    const std::uint32_t positive2 = relu_mask(l);
    const std::uint32_t positive1 = relu_mask(l - 1);
    float h[4][2][4] = {};
    conv_four_rows<Stage1Rows, 1>(h, A + input_offset, b);
    mask_positive<32>(&h[0][0][0], positive2);
    finish_reading();
    load_weights(b, wait_weights(l - 1) + lane * 16, 512);
    store_rows(B, l - 1, h, y, x0);
    finish_layer(l);
    float residual[4][2][4] = {};
    conv_four_rows<Stage1Rows, 1>(residual, B + input_offset, b);
    add_residual_grad<32>(&x[0][0][0], &residual[0][0][0], positive1);
    finish_reading();
    if (block == 1) load_weights(b, wait_weights(l - 2) + lane * 16, 512);
    store_rows(A, l - 2, x, y, x0);
    finish_layer(l - 1);
  }
}

// Stores four rows of 16 pixels in shared memory and in the training buffers.  Neighboring lanes
// exchange halves, so that 32 consecutive bytes are written by four lanes.
template <class Smem, bool RELU_SKIP, class Store>
__device__ void Backward<Smem, RELU_SKIP, Store>::store_rows(std::uint32_t address, int layer,
                                                             const float (&v)[4][2][4], int y,
                                                             int x) const {
  std::uint16_t* output_grad = buffers->output_grads[layer] + image * (32 * 32 * 16);
  const bool is_odd = (q & 1) != 0;
#pragma unroll
  for (int row = 0; row < 4; ++row) {
    std::uint32_t p[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      p[i / 2][i % 2] = pack_bf16(v[row][i / 2][2 * (i % 2)], v[row][i / 2][2 * (i % 2) + 1]);
    }
    store_fragments<Stage1Rows::kPixel>(address + Stage1Rows::offset(y + row, x), p, lane);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const std::uint32_t other = __shfl_xor_sync(0xffffffffU, is_odd ? p[0][h] : p[1][h], 1);
      const int pixel = (y + row) * 32 + x + g + 8 * h;
      *reinterpret_cast<uint2*>(output_grad + pixel * 16 + (is_odd ? 6 + 2 * q : 2 * q)) =
          is_odd ? make_uint2(other, p[1][h]) : make_uint2(p[0][h], other);
    }
  }
}

}  // namespace plr::cuda::impala
