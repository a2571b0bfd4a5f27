// Where do the activations of a band of an image lie, and how do neighbouring bands meet?
//
// A block keeps a band of rows of its image in shared memory, bf16 [rows + 3][width + 2][channels]:
//
//            x = -1   0 ... W-1   W
//   row -2     halo: the last two rows of the block above, the second where a pool follows
//   row -1     halo
//   row  0     the band itself; a pixel takes 48 bytes for 16 channels, 80 for 32, so that neither
//   ...        matrix loads nor stores meet a bank twice, and each of the nine places of a
//   row R-1    kernel is a constant offset away
//   row  R     halo: the first row of the block below
//
// Only edge rows cross to a neighbour.  They are sent into its halo as soon as they are made; a
// barrier there counts the bytes, and only the warps next to the edge wait for it, after the part
// of their work that does not need it.  (A barrier of the whole cluster after each layer costs some
// 900 cycles instead.)
//
// What is sent may arrive in another order: bytes of a layer before the last ones of the layer
// before.  With one barrier for all layers the kernel hung where multiprocessors had blocks of
// other processes, too.  Layers therefore take turns between two.  Those of the next layer but one
// cannot come too early: they are made from rows that we send only when all of this layer has
// arrived.
#pragma once

#include <cuda_bf16.h>

#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/impala/layers.h"

namespace plr::cuda::impala {

template <int ROWS, int WIDTH, int CHANNELS>
struct Band {
  static constexpr int kRows = ROWS;
  static constexpr int kWidth = WIDTH;
  static constexpr int kChannels = CHANNELS;
  static constexpr int kPixel = CHANNELS == 16 ? 48 : 80;  // bytes
  static constexpr int kPitch = (WIDTH + 2) * kPixel;      // bytes of a row
  // Puts pixel (0, 0) on 128 bytes, as copies of tensors want it.
  static constexpr int kPad = (128 - (2 * kPitch + kPixel) % 128) % 128;
  static constexpr int kBytes = (kPad + (ROWS + 3) * kPitch + 127) / 128 * 128;
  __device__ static constexpr int offset(int row, int x) {
    return kPad + (row + 2) * kPitch + (x + 1) * kPixel;
  }
};

// The blocks above and below in the cluster.
struct Neighbours {
  static constexpr int kBarriers = 4;
  static constexpr int kCount = 4;  // arrivals at each
  bool has_up, has_down;
  std::uint32_t up, down;  // added to an address here: the same place there
  std::uint32_t bars = 0;  // barriers here, 8 bytes each

  // The halo of a layer's output from above, or from below, has landed.
  __device__ std::uint32_t bar_up(int layer) const { return bars + (layer & 1) * 8; }
  __device__ std::uint32_t bar_down(int layer) const { return bars + 16 + (layer & 1) * 8; }
  __device__ static int parity(int layer) { return layer >> 1 & 1; }
};

// Rows of a layer's output that the block below wants: a pool follows after layers 4 and 9.
__device__ constexpr int rows_down(int layer) { return layer == 4 || layer == 9 ? 2 : 1; }

// Called in layer l, before its halo is read, by each of the EDGE_WARPS warps that share an edge
// row: waits for the rows of layer l - 1, then tells the next barrier what layer l will bring:
// ROW_BYTES from below, and such rows from above.
//
// A neighbour cannot overwrite a halo that is still read: its rows of layer l are computed from
// ours of layer l - 1, which our edge warps send after their last look at the buffer that they go
// to.
template <int BLOCKS, int EDGE_WARPS, int ROW_BYTES>
__device__ inline void expect_halo(int l, bool is_top, bool is_bottom, const Neighbours& n,
                                   int lane) {
  if constexpr (BLOCKS > 1) {
    constexpr int kArrivals = Neighbours::kCount / EDGE_WARPS;
    if (is_top && n.has_up) {
      if (l > 0) barrier_wait_for_cluster(n.bar_up(l - 1), n.parity(l - 1));
      if (l < kNumLayers - 1 && lane == 0) {
        barrier_expect_and_arrive(n.bar_up(l), rows_down(l) * ROW_BYTES / EDGE_WARPS, kArrivals);
      }
      __syncwarp();
    }
    if (is_bottom && n.has_down) {
      if (l > 0) barrier_wait_for_cluster(n.bar_down(l - 1), n.parity(l - 1));
      if (l < kNumLayers - 1 && lane == 0) {
        barrier_expect_and_arrive(n.bar_down(l), ROW_BYTES / EDGE_WARPS, kArrivals);
      }
      __syncwarp();
    }
  }
}

// Sends a warp's share of the edge rows among y and y + 1 of a layer's output, CHUNKS times 16
// bytes of every pixel from `channel` on, which it has just stored in `band`.
template <class B, int BLOCKS, int CHUNKS>
__device__ inline void send_edges(int layer, std::uint32_t band, int y, int channel,
                                  const Neighbours& n, int lane) {
  if constexpr (BLOCKS > 1) {
    const bool up = y == 0 && n.has_up;
    const bool down = y + 2 == B::kRows && n.has_down;
    if (!up && !down) return;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < (B::kWidth * CHUNKS + 31) / 32; ++k) {
      const int i = lane + 32 * k;
      if (i >= B::kWidth * CHUNKS) break;
      const std::uint32_t here = band + B::offset(y, i / CHUNKS) + channel * 2 + (i % CHUNKS) * 16;
      constexpr std::uint32_t kAll = B::kRows * B::kPitch;
      // Row y becomes row R of the block above; y + 1, and perhaps y, rows -1 and -2 of the one
      // below.
      if (up) send128(here + n.up + kAll, here, n.bar_down(layer) + n.up);
      if (down) {
        const std::uint32_t bar = n.bar_up(layer) + n.down;
        send128(here + B::kPitch + n.down - kAll, here + B::kPitch, bar);
        if (rows_down(layer) == 2) send128(here + n.down - kAll, here, bar);
      }
    }
  }
}

// Which of N numbers of a thread are positive, a bit each: that of number i is i / 2, plus N / 2 if
// i is odd, since pairs in bf16 give two of them at a time.
__device__ inline std::uint32_t positive_pair(std::uint32_t pair) {
  const __nv_bfloat162 zero(__nv_bfloat16_raw{0}, __nv_bfloat16_raw{0});
  return __hgt2_mask(*reinterpret_cast<__nv_bfloat162*>(&pair), zero);
}
template <int N>
__device__ inline void keep_positive(float* v, std::uint32_t bits) {
#pragma unroll
  for (int i = 0; i < N; ++i) {
    v[i] = ((bits >> (i / 2 + (i & 1) * (N / 2))) & 1U) != 0 ? v[i] : 0.0F;
  }
}

// Stores a warp's tile, two rows from y on and 16 channels from `channel` on.  Returns which of the
// thread's numbers are positive.
template <class B>
__device__ inline std::uint32_t store_tile(std::uint32_t band,
                                           const float (&v)[2][B::kWidth / 16][2][4], int y,
                                           int channel, bool relu, int lane) {
  const float least = relu ? 0.0F : -INFINITY;
  std::uint32_t positive = 0;
#pragma unroll
  for (int row = 0; row < 2; ++row) {
#pragma unroll
    for (int mx = 0; mx < B::kWidth / 16; ++mx) {
      std::uint32_t p[2][2];
#pragma unroll
      for (int tile = 0; tile < 2; ++tile) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const float* pair = &v[row][mx][tile][2 * h];
          p[tile][h] = pack_bf16(fmaxf(pair[0], least), fmaxf(pair[1], least));
          const int bit = ((row * (B::kWidth / 16) + mx) * 2 + tile) * 2 + h;
          positive |= positive_pair(p[tile][h]) & (0x00010001U << bit);
        }
      }
      const std::uint32_t address =
          band + B::offset(y + row, mx * 16 + (lane & 15)) + channel * 2 + (lane >> 4) * 16;
      store_matrix(address, p[0][0], p[0][1], p[1][0], p[1][1]);
    }
  }
  return B::kWidth == 32 ? positive : (positive | positive >> 8);
}

// The same for the image of 8 pixels a row: both rows are one tile, of 8 channels.
template <class B>
__device__ inline std::uint32_t store_small_tile(std::uint32_t band, const float (&v)[4], int y,
                                                 int channel, bool relu, int lane) {
  const float least = relu ? 0.0F : -INFINITY;
  const std::uint32_t p0 = pack_bf16(fmaxf(v[0], least), fmaxf(v[1], least));
  const std::uint32_t p1 = pack_bf16(fmaxf(v[2], least), fmaxf(v[3], least));
  store_half_matrix(band + B::offset(y + ((lane >> 3) & 1), lane & 7) + channel * 2, p0, p1);
  const std::uint32_t positive =
      (positive_pair(p0) & 0x00010001U) | (positive_pair(p1) & 0x00020002U);
  return positive | positive >> 14;
}

// Zeroes the halo that no neighbour fills: both side columns, and rows outside of the image.
template <class B>
__device__ inline void zero_halo(std::uint32_t band, const Neighbours& n, int thread,
                                 int num_threads) {
  constexpr int kChunks = B::kPixel / 16;
  for (int i = thread; i < (B::kRows + 3) * 2; i += num_threads) {
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      store_zeros128(band + B::offset((i >> 1) - 2, (i & 1) != 0 ? B::kWidth : -1) + c * 16);
    }
  }
  for (int i = thread; i < B::kWidth * kChunks; i += num_threads) {
    if (!n.has_up) {
      store_zeros128(band + B::offset(-2, 0) + i * 16);
      store_zeros128(band + B::offset(-1, 0) + i * 16);
    }
    if (!n.has_down) store_zeros128(band + B::offset(B::kRows, 0) + i * 16);
  }
}

}  // namespace plr::cuda::impala
