// 3x3 max pool with stride 2, forward and backward.
//
// The backward pass must know the argmax of each window.  Of equal numbers it is the first, row by
// row, as in PyTorch; images have large uniform areas, so that this matters.
#pragma once

#include <cuda_bf16.h>

#include "plr/learn/cuda/common/ptx.cuh"

namespace plr::cuda::impala {

// Pools five rows of a tile: out[pooled row][n-tile][channel] of the pooled pixel g = lane / 4.
//
// In the tile, the lanes of g hold the pixels 2g and 2g + 1, in the opposite order for g >= 4 if
// SWAPPED.  Pixel 2g - 1 comes from the lanes of g - 1, or through last_odd from the previous tile.
template <int TILES, bool SWAPPED>
__device__ inline void max_pool(float (&out)[2][TILES][2], const float (&in)[5][TILES][4],
                                float (&last_odd)[2][TILES][2], bool is_first_row_missing,
                                int lane) {
  const int g = lane >> 2;
#pragma unroll
  for (int row = 0; row < 2; ++row) {
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        float low = fmaxf(in[2 * row + 1][tile][c], in[2 * row + 2][tile][c]);
        float high = fmaxf(in[2 * row + 1][tile][c + 2], in[2 * row + 2][tile][c + 2]);
        if (row == 1 || !is_first_row_missing) {
          low = fmaxf(low, in[2 * row][tile][c]);
          high = fmaxf(high, in[2 * row][tile][c + 2]);
        }
        const float odd = (SWAPPED && g >= 4) ? low : high;
        const float left =
            __shfl_sync(0xffffffffU, g == 7 ? last_odd[row][tile][c] : odd, (lane + 28) & 31);
        out[row][tile][c] = fmaxf(fmaxf(low, high), left);
        last_odd[row][tile][c] = odd;
      }
    }
  }
}

// The same, with the argmax: argmax[pooled row][n-tile] has 4 bits for each of the n-tile's eight
// channels of pixel g, the tap row << 2 | column of the window.
//
// The tap is stored in the last four bits of each number, which bf16 does not keep, so that plain
// maxima carry it.  Of equal numbers the first tap must win: for positive numbers its bits are
// inverted, so that a smaller tap makes a larger number; negative numbers compare the other way
// round and keep the bits as they are.
template <int TILES, bool SWAPPED>
__device__ inline void max_pool_argmax(float (&out)[2][TILES][2], std::uint32_t (&argmax)[2][TILES],
                                       const float (&in)[5][TILES][4],
                                       float (&last_odd)[2][TILES][2], bool is_first_row_missing,
                                       int lane) {
  const int g = lane >> 2;
  const bool is_swapped = SWAPPED && g >= 4;
  const std::uint32_t low_column = is_swapped ? 2 : 1;
  const std::uint32_t high_column = is_swapped ? 1 : 2;
  // 15 for positive and 0 for negative numbers: XOR with it converts a tap to bits and back.
  const auto inversion = [](float v) {
    return ~(static_cast<int>(__float_as_uint(v)) >> 31) & 15U;
  };
  const auto with_tap_zero = [&](float v) { return (__float_as_uint(v) & ~15U) | inversion(v); };
  std::uint32_t v[5][TILES][4];
#pragma unroll
  for (int i = 0; i < 5 * TILES * 4; ++i) {
    v[i / (TILES * 4)][i / 4 % TILES][i % 4] =
        with_tap_zero(in[i / (TILES * 4)][i / 4 % TILES][i % 4]);
  }
  const auto with_tap = [](std::uint32_t number, std::uint32_t tap) {
    return __uint_as_float(number ^ tap);
  };
#pragma unroll
  for (int row = 0; row < 2; ++row) {
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
      std::uint32_t taps = 0;
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        float low = fmaxf(with_tap(v[2 * row + 1][tile][c], 4 + low_column),
                          with_tap(v[2 * row + 2][tile][c], 8 + low_column));
        float high = fmaxf(with_tap(v[2 * row + 1][tile][c + 2], 4 + high_column),
                           with_tap(v[2 * row + 2][tile][c + 2], 8 + high_column));
        if (row == 1 || !is_first_row_missing) {
          low = fmaxf(low, with_tap(v[2 * row][tile][c], low_column));
          high = fmaxf(high, with_tap(v[2 * row][tile][c + 2], high_column));
        }
        const float odd = is_swapped ? low : high;
        const float left =
            __shfl_sync(0xffffffffU, g == 7 ? last_odd[row][tile][c] : odd, (lane + 28) & 31);
        // Column 2 of one window is column 0 of the next.  (Left of the image, minus infinity
        // becomes NaN, which fmaxf ignores.)
        const float best = fmaxf(fmaxf(low, high), with_tap(__float_as_uint(left), 2));
        taps |= ((__float_as_uint(best) & 15U) ^ inversion(best)) << (4 * c);
        out[row][tile][c] = best;
        last_odd[row][tile][c] = odd;
      }
      // A lane has two channels; the four lanes of a pixel combine theirs to eight.
      std::uint32_t word = taps << (8 * (lane & 3));
      word |= __shfl_xor_sync(0xffffffffU, word, 1);
      word |= __shfl_xor_sync(0xffffffffU, word, 2);
      argmax[row][tile] = word;
    }
  }
}

// The gradients of four pixels (2 y + r, 2 x + c) before the pool, eight channels: each gets the
// gradients of those pooled pixels (y + a, x + b), a <= r, b <= c, whose argmax it is.  `from`:
// eight bf16 each; `argmax`: their taps, all bits set outside of the image.
__device__ inline void max_unpool_quad(std::uint32_t (&out)[2][2][4],
                                       const std::uint32_t (&from)[2][2][4],
                                       const std::uint32_t (&argmax)[2][2]) {
  // Compares eight taps at once: the highest bit of each four bits of `differs` says whether they
  // differ; prmt then spreads it over the bf16 of that channel.
  const auto pick = [&](std::uint32_t (&to)[4], int a, int b, std::uint32_t tap) {
    const std::uint32_t x = argmax[a][b] ^ (tap * 0x11111111U);
    const std::uint32_t differs = ((x & 0x77777777U) + 0x77777777U) | x;
    const std::uint32_t even = differs << 4;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      std::uint32_t mask;
      asm("prmt.b32 %0, %1, %2, %3;"
          : "=r"(mask)
          : "r"(even), "r"(differs), "r"((8 + k) * 0x11 + (12 + k) * 0x1100));
      to[k] = from[a][b][k] & ~mask;
    }
  };
  const auto add = [](std::uint32_t (&to)[4], const std::uint32_t (&more)[4]) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const __nv_bfloat162 sum = __hadd2(reinterpret_cast<__nv_bfloat162&>(to[k]),
                                         reinterpret_cast<const __nv_bfloat162&>(more[k]));
      to[k] = reinterpret_cast<const std::uint32_t&>(sum);
    }
  };
  // Pixel (r, c) is tap (r + 1 - 2a) << 2 | (c + 1 - 2b) of the window of pooled pixel (a, b).
  std::uint32_t t[4];
  std::uint32_t u[4];
  pick(out[0][0], 0, 0, 5);
  pick(out[0][1], 0, 0, 6);
  pick(t, 0, 1, 4);
  add(out[0][1], t);
  pick(out[1][0], 0, 0, 9);
  pick(t, 1, 0, 1);
  add(out[1][0], t);
  pick(out[1][1], 0, 0, 10);
  pick(t, 0, 1, 8);
  add(out[1][1], t);
  pick(t, 1, 0, 2);
  pick(u, 1, 1, 0);
  add(t, u);
  add(out[1][1], t);
}

}  // namespace plr::cuda::impala
