// How do the pools go, forward and back?
//
// A pool of 3x3 and stride 2 takes the largest of nine.  To learn, it must also be known which: of
// equal ones the first, row by row, as in PyTorch, since images have large flat areas.
#pragma once

#include <cuda_bf16.h>

#include "plr/learn/cuda/common/ptx.cuh"

namespace plr::cuda::impala {

// The 3x3 pool of stride 2 over five rows of a tile: out[pooled row][n-tile][channel] of the pooled
// pixel g = lane / 4.  In the tile, lanes of g hold the pixels 2g and 2g + 1, in the other order
// for g >= 4 if SWAPPED; 2g - 1 comes from the lanes of g - 1, or by last_odd from the tile before.
template <int TILES, bool SWAPPED>
__device__ inline void pool_tile(float (&out)[2][TILES][2], const float (&in)[5][TILES][4],
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

// The same, and where the largest were: places[pooled row][n-tile], 4 bits for each of the tile's
// eight channels of the pixel g, row << 2 | column of the window.
//
// The place rides in the last four bits of each number, which bf16 does not see, so that plain
// maxima carry it.  Of equal numbers the first place must win: its bits make positive numbers
// largest if they are inverted, negative ones, whose order is reversed, as they are.
template <int TILES, bool SWAPPED>
__device__ inline void pool_with_places(float (&out)[2][TILES][2],
                                        std::uint32_t (&places)[2][TILES],
                                        const float (&in)[5][TILES][4],
                                        float (&last_odd)[2][TILES][2], bool is_first_row_missing,
                                        int lane) {
  const int g = lane >> 2;
  const bool is_swapped = SWAPPED && g >= 4;
  const std::uint32_t low_column = is_swapped ? 2 : 1;
  const std::uint32_t high_column = is_swapped ? 1 : 2;
  // 15 for positive numbers, 0 for negative ones, which turns a place into bits and back.
  const auto turn = [](float v) { return ~(static_cast<int>(__float_as_uint(v)) >> 31) & 15U; };
  const auto room = [&](float v) { return (__float_as_uint(v) & ~15U) | turn(v); };
  std::uint32_t v[5][TILES][4];
#pragma unroll
  for (int i = 0; i < 5 * TILES * 4; ++i) {
    v[i / (TILES * 4)][i / 4 % TILES][i % 4] = room(in[i / (TILES * 4)][i / 4 % TILES][i % 4]);
  }
  const auto at = [](std::uint32_t roomy, std::uint32_t place) {
    return __uint_as_float(roomy ^ place);
  };
#pragma unroll
  for (int row = 0; row < 2; ++row) {
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
      std::uint32_t found = 0;
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        float low = fmaxf(at(v[2 * row + 1][tile][c], 4 + low_column),
                          at(v[2 * row + 2][tile][c], 8 + low_column));
        float high = fmaxf(at(v[2 * row + 1][tile][c + 2], 4 + high_column),
                           at(v[2 * row + 2][tile][c + 2], 8 + high_column));
        if (row == 1 || !is_first_row_missing) {
          low = fmaxf(low, at(v[2 * row][tile][c], low_column));
          high = fmaxf(high, at(v[2 * row][tile][c + 2], high_column));
        }
        const float odd = is_swapped ? low : high;
        const float left =
            __shfl_sync(0xffffffffU, g == 7 ? last_odd[row][tile][c] : odd, (lane + 28) & 31);
        // Column 2 of one window is column 0 of the next.  (Beside the image, minus infinity
        // becomes no number, which maxima ignore.)
        const float best = fmaxf(fmaxf(low, high), at(__float_as_uint(left), 2));
        found |= ((__float_as_uint(best) & 15U) ^ turn(best)) << (4 * c);
        out[row][tile][c] = best;
        last_odd[row][tile][c] = odd;
      }
      // Two channels a lane, eight of the four lanes of a pixel.
      std::uint32_t word = found << (8 * (lane & 3));
      word |= __shfl_xor_sync(0xffffffffU, word, 1);
      word |= __shfl_xor_sync(0xffffffffU, word, 2);
      places[row][tile] = word;
    }
  }
}

// The way back, at four pixels (2 y + r, 2 x + c) before the pool, eight channels: each gets the
// gradient of those pooled pixels (y + a, x + b), a <= r, b <= c, whose largest it was.  `from`:
// eight bf16 each; `places`: their places, all bits set outside of the image.
__device__ inline void unpool_quad(std::uint32_t (&out)[2][2][4],
                                   const std::uint32_t (&from)[2][2][4],
                                   const std::uint32_t (&places)[2][2]) {
  // Compares eight places at once: in `differs` the highest bit of each four says so, which is then
  // spread over the halves of words.
  const auto pick = [&](std::uint32_t (&to)[4], int a, int b, std::uint32_t place) {
    const std::uint32_t x = places[a][b] ^ (place * 0x11111111U);
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
