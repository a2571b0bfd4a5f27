// Activations of a tile of an image's rows in shared memory, and the halo exchange in a cluster.
//
// A thread block keeps some rows of its image as bf16 [rows + 3][width + 2][channels]:
//
//            x = -1   0 ... W-1   W
//   row -2     halo: the last two rows of the thread block above, the second if a pooled layer
//   follows row -1     halo row  0     the tile itself; a pixel takes 48 bytes for 16 channels, 80
//   for 32, so that neither
//   ...        ldmatrix nor stmatrix has bank conflicts, and each of the nine taps is at a constant
//   row R-1    offset
//   row  R     halo: the first row of the thread block below
//
// Only edge rows are sent to a neighbor, into its halo, as soon as they are computed.  A barrier
// there counts the bytes, and only the warps at the edge wait for it, after the part of their work
// that does not need the halo.  (A barrier of the whole cluster after each layer costs about 900
// cycles instead.)
//
// Bytes may arrive out of order: some of a layer before the last ones of the layer before it.  With
// one barrier for all layers the kernel hung where multiprocessors also ran thread blocks of other
// processes.  Layers therefore alternate between two barriers.  Bytes of the next layer but one
// cannot arrive too early: they are computed from rows that this thread block sends only after all
// of this layer has arrived.
#pragma once

#include <cuda_bf16.h>

#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/impala/layers.h"

namespace plr::cuda::impala {

template <int ROWS, int WIDTH, int CHANNELS>
struct RowTile {
  static constexpr int kRows = ROWS;
  static constexpr int kWidth = WIDTH;
  static constexpr int kChannels = CHANNELS;
  static constexpr int kPixel = CHANNELS == 16 ? 48 : 80;  // bytes
  static constexpr int kPitch = (WIDTH + 2) * kPixel;      // bytes of a row
  // Aligns pixel (0, 0) to 128 bytes, as tensor copies require.
  static constexpr int kPad = (128 - (2 * kPitch + kPixel) % 128) % 128;
  static constexpr int kBytes = (kPad + (ROWS + 3) * kPitch + 127) / 128 * 128;
  __device__ static constexpr int offset(int row, int x) {
    return kPad + (row + 2) * kPitch + (x + 1) * kPixel;
  }
};

// The rank of this thread block in its cluster.
template <int CLUSTER_SIZE>
__device__ inline int rank_in_cluster() {
  if constexpr (CLUSTER_SIZE > 1) {
    return cluster_rank();
  } else {
    return 0;
  }
}

// ---- halo exchange -----------------------------------------------------------------------------

// The neighbors of a thread block in its cluster.
struct ClusterHalo {
  static constexpr int kNumBarriers = 4;
  static constexpr int kArrivals = 4;  // at each barrier
  bool has_above, has_below;
  std::uint32_t to_above, to_below;  // added to a shared address: the same location there
  std::uint32_t barriers = 0;        // of this thread block, 8 bytes each

  // Complete when the halo of a layer's output has arrived from above, or from below.
  __device__ std::uint32_t barrier_above(int layer) const { return barriers + (layer & 1) * 8; }
  __device__ std::uint32_t barrier_below(int layer) const {
    return barriers + 16 + (layer & 1) * 8;
  }
  __device__ static int parity(int layer) { return layer >> 1 & 1; }
};

// Rows of a layer's output that the thread block below needs.
__device__ constexpr int halo_rows_below(int layer) { return precedes_pooled_layer(layer) ? 2 : 1; }

// Called in layer l, before its halo is read, by each of the EDGE_WARPS warps that share an edge
// row: waits for the rows of layer l - 1, then announces to the next barrier what layer l will
// bring, ROW_BYTES from below and such rows from above.
//
// A neighbor cannot overwrite a halo that is still being read: its rows of layer l are computed
// from ours of layer l - 1, which our edge warps send after they have last read the buffer that the
// rows go to.
template <int CLUSTER_SIZE, int EDGE_WARPS, int ROW_BYTES>
__device__ inline void wait_halo(int l, bool is_top, bool is_bottom, const ClusterHalo& n,
                                 int lane) {
  if constexpr (CLUSTER_SIZE > 1) {
    constexpr int kArrivals = ClusterHalo::kArrivals / EDGE_WARPS;
    if (is_top && n.has_above) {
      if (l > 0) mbarrier_wait_cluster(n.barrier_above(l - 1), n.parity(l - 1));
      if (l < kLastLayer && lane == 0) {
        mbarrier_expect_tx_and_arrive(n.barrier_above(l),
                                      halo_rows_below(l) * ROW_BYTES / EDGE_WARPS, kArrivals);
      }
      __syncwarp();
    }
    if (is_bottom && n.has_below) {
      if (l > 0) mbarrier_wait_cluster(n.barrier_below(l - 1), n.parity(l - 1));
      if (l < kLastLayer && lane == 0) {
        mbarrier_expect_tx_and_arrive(n.barrier_below(l), ROW_BYTES / EDGE_WARPS, kArrivals);
      }
      __syncwarp();
    }
  }
}

// Sends a warp's share of the edge rows among y and y + 1 of a layer's output, CHUNKS times 16
// bytes of every pixel from `channel` on, which it has just stored at `address`.
template <class Tile, int CLUSTER_SIZE, int CHUNKS>
__device__ inline void send_halo(int layer, std::uint32_t address, int y, int channel,
                                 const ClusterHalo& n, int lane) {
  if constexpr (CLUSTER_SIZE > 1) {
    const bool above = y == 0 && n.has_above;
    const bool below = y + 2 == Tile::kRows && n.has_below;
    if (!above && !below) return;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < (Tile::kWidth * CHUNKS + 31) / 32; ++k) {
      const int i = lane + 32 * k;
      if (i >= Tile::kWidth * CHUNKS) break;
      const std::uint32_t local =
          address + Tile::offset(y, i / CHUNKS) + channel * 2 + (i % CHUNKS) * 16;
      constexpr std::uint32_t kAllRows = Tile::kRows * Tile::kPitch;
      // Row y becomes row R of the thread block above; y + 1, and y if two are needed, become rows
      // -1 and -2 of the one below.
      if (above) {
        st_async_16(local + n.to_above + kAllRows, local, n.barrier_below(layer) + n.to_above);
      }
      if (below) {
        const std::uint32_t barrier = n.barrier_above(layer) + n.to_below;
        st_async_16(local + Tile::kPitch + n.to_below - kAllRows, local + Tile::kPitch, barrier);
        if (halo_rows_below(layer) == 2) {
          st_async_16(local + n.to_below - kAllRows, local, barrier);
        }
      }
    }
  }
}

// Zeroes the halo that no neighbor fills: both side columns, and rows outside of the image.
template <class Tile>
__device__ inline void zero_halo(std::uint32_t address, const ClusterHalo& n, int thread,
                                 int num_threads) {
  constexpr int kChunks = Tile::kPixel / 16;
  for (int i = thread; i < (Tile::kRows + 3) * 2; i += num_threads) {
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      st_shared_zeros_16(address + Tile::offset((i >> 1) - 2, (i & 1) != 0 ? Tile::kWidth : -1) +
                         c * 16);
    }
  }
  for (int i = thread; i < Tile::kWidth * kChunks; i += num_threads) {
    if (!n.has_above) {
      st_shared_zeros_16(address + Tile::offset(-2, 0) + i * 16);
      st_shared_zeros_16(address + Tile::offset(-1, 0) + i * 16);
    }
    if (!n.has_below) st_shared_zeros_16(address + Tile::offset(Tile::kRows, 0) + i * 16);
  }
}

// ---- stores ------------------------------------------------------------------------------------

// All bits of each bf16 of a pair that is positive.
__device__ inline std::uint32_t positive_mask(std::uint32_t pair) {
  const __nv_bfloat162 zero(__nv_bfloat16_raw{0}, __nv_bfloat16_raw{0});
  return __hgt2_mask(*reinterpret_cast<__nv_bfloat162*>(&pair), zero);
}

// Sets to zero those of a thread's N numbers whose ReLU mask bit is 0.  The bit of number i is i /
// 2, plus N / 2 if i is odd, since a pair in bf16 gives two bits at a time.
template <int N>
__device__ inline void mask_positive(float* v, std::uint32_t bits) {
#pragma unroll
  for (int i = 0; i < N; ++i) {
    v[i] = ((bits >> (i / 2 + (i & 1) * (N / 2))) & 1U) != 0 ? v[i] : 0.0F;
  }
}

// Stores the 16x16 tile of four fragments, p[n-tile][pixel g, then g + 8], of pixels that are PIXEL
// bytes apart from `address` on.
template <int PIXEL>
__device__ inline void store_fragments(std::uint32_t address, const std::uint32_t (&p)[2][2],
                                       int lane) {
#if __CUDA_ARCH__ >= 900
  stmatrix_x4(address + (lane & 15) * PIXEL + (lane >> 4) * 16, p[0][0], p[0][1], p[1][0], p[1][1]);
#else
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    st_shared_u32(address + ((lane >> 2) + 8 * (i & 1)) * PIXEL + (i >> 1) * 16 + (lane & 3) * 4,
                  p[i >> 1][i & 1]);
  }
#endif
}

// Stores a warp's results, two rows from y on and 16 channels from `channel` on, after ReLU if
// `relu`. Returns the ReLU mask of the thread's numbers.
template <class Tile>
__device__ inline std::uint32_t store_tile(std::uint32_t address,
                                           const float (&v)[2][Tile::kWidth / 16][2][4], int y,
                                           int channel, bool relu, int lane) {
  const float least = relu ? 0.0F : -INFINITY;
  std::uint32_t positive = 0;
#pragma unroll
  for (int row = 0; row < 2; ++row) {
#pragma unroll
    for (int mx = 0; mx < Tile::kWidth / 16; ++mx) {
      std::uint32_t p[2][2];  // [n-tile][pixel g, then g + 8]
#pragma unroll
      for (int tile = 0; tile < 2; ++tile) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const float* pair = &v[row][mx][tile][2 * h];
          p[tile][h] = pack_bf16(fmaxf(pair[0], least), fmaxf(pair[1], least));
          const int bit = ((row * (Tile::kWidth / 16) + mx) * 2 + tile) * 2 + h;
          positive |= positive_mask(p[tile][h]) & (0x00010001U << bit);
        }
      }
      store_fragments<Tile::kPixel>(address + Tile::offset(y + row, mx * 16) + channel * 2, p,
                                    lane);
    }
  }
  return Tile::kWidth == 32 ? positive : (positive | positive >> 8);
}

// The same for images 8 pixels wide: both rows are one tile, of 8 channels.
template <class Tile>
__device__ inline std::uint32_t store_small_tile(std::uint32_t address, const float (&v)[4], int y,
                                                 int channel, bool relu, int lane) {
  const float least = relu ? 0.0F : -INFINITY;
  const std::uint32_t p0 = pack_bf16(fmaxf(v[0], least), fmaxf(v[1], least));
  const std::uint32_t p1 = pack_bf16(fmaxf(v[2], least), fmaxf(v[3], least));
#if __CUDA_ARCH__ >= 900
  stmatrix_x2(address + Tile::offset(y + ((lane >> 3) & 1), lane & 7) + channel * 2, p0, p1);
#else
  const std::uint32_t to = address + Tile::offset(y, lane >> 2) + channel * 2 + (lane & 3) * 4;
  st_shared_u32(to, p0);
  st_shared_u32(to + Tile::kPitch, p1);
#endif
  const std::uint32_t positive =
      (positive_mask(p0) & 0x00010001U) | (positive_mask(p1) & 0x00020002U);
  return positive | positive >> 14;
}

}  // namespace plr::cuda::impala
