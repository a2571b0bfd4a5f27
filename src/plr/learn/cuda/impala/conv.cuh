// 3x3 convolutions of a warp on tensor cores.
//
// A convolution is a matrix product: rows are 16 pixels, columns 8 output channels (an n-tile), and
// the inner dimension is the nine taps of the kernel times the input channels, 16 at a time.  A
// warp owns the same pixels and channels throughout a stage, so that what a residual block adds to
// stays in its registers.  One fragment of inputs, a row shifted by dx, is used for up to three
// rows of outputs.
//
// Each convolution reads the inputs in two passes: first the rows that the thread block owns, then,
// after wait_halo(), those that may come from a neighbor, so that the first pass hides their
// latency.
#pragma once

#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/impala/row_tile.cuh"

namespace plr::cuda::impala {

// A warp's weights of one layer: k-step (dx * chunks + chunk) * 3 + dy, of one n-tile (2 words) or
// two (4).  They depend on no other warp, so that they are loaded before the layer begins.
template <int STEPS, int WORDS>
__device__ inline void load_weights(std::uint32_t (&b)[STEPS][WORDS], std::uint32_t from,
                                    int step_bytes) {
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
    if constexpr (WORDS == 4) {
      ld_shared_v4(b[s], from + s * step_bytes);
    } else {
      ld_shared_v2(b[s][0], b[s][1], from + s * step_bytes);
    }
  }
}

// In a residual block, for images at least 16 pixels wide: two rows of outputs, y and y + 1, and
// two n-tiles.  `base`: this lane's ldmatrix address for the input pixel (y - 1, its own x - 1).
template <class Tile, class Wait>
__device__ inline void conv_rows(float (&sum)[2][Tile::kWidth / 16][2][4], std::uint32_t base,
                                 const std::uint32_t (&b)[9 * Tile::kChannels / 16][4],
                                 Wait wait_halo) {
  constexpr int kChunks = Tile::kChannels / 16;
  constexpr int kTiles = Tile::kWidth / 16;
  constexpr int kSteps = 3 * kChunks;
#pragma unroll
  for (int pass = 0; pass < 2; ++pass) {  // rows 1 and 2 of the four inputs, then 0 and 3
    std::uint32_t a[2][2][kTiles][4];     // the next step is loaded while this one is multiplied
    const auto row = [&](int i) { return pass == 0 ? 1 + i : 3 * i; };
    const auto load = [&](int step) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int mx = 0; mx < kTiles; ++mx) {
          ldmatrix_x4(a[step & 1][i][mx], base + row(i) * Tile::kPitch +
                                              (mx * 16 + step / kChunks) * Tile::kPixel +
                                              (step % kChunks) * 32);
        }
      }
    };
    if (pass == 1) wait_halo();
    load(0);
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (step + 1 < kSteps) load(step + 1);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int dy = 0; dy < 3; ++dy) {
          const int out = row(i) - dy;
          if (out < 0 || out > 1) continue;
          const std::uint32_t (&w)[4] = b[step * 3 + dy];
#pragma unroll
          for (int mx = 0; mx < kTiles; ++mx) {
            mma_bf16(sum[out][mx][0], a[step & 1][i][mx], w[0], w[1]);
            mma_bf16(sum[out][mx][1], a[step & 1][i][mx], w[2], w[3]);
          }
        }
      }
    }
  }
}

// The same for images 8 pixels wide: rows y and y + 1 are one tile of 16 pixels; one n-tile.
template <class Tile, class Wait>
__device__ inline void conv_small(float (&sum)[4], std::uint32_t base,
                                  const std::uint32_t (&b)[9 * Tile::kChannels / 16][2],
                                  Wait wait_halo) {
  constexpr int kChunks = Tile::kChannels / 16;
  constexpr int kSteps = 3 * kChunks;
  float partial[3][4] = {};  // three independent sums, since latency dominates here
#pragma unroll
  for (int pass = 0; pass < 2; ++pass) {  // dy = 1, then 0 and 2
    std::uint32_t a[2][kSteps][4];
    if (pass == 1) wait_halo();
#pragma unroll
    for (int i = 0; i <= pass; ++i) {
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        ldmatrix_x4(a[i][step], base + (pass == 0 ? 1 : 2 * i) * Tile::kPitch +
                                    (step / kChunks) * Tile::kPixel + (step % kChunks) * 32);
      }
    }
#pragma unroll
    for (int i = 0; i <= pass; ++i) {
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        const std::uint32_t (&w)[2] = b[step * 3 + (pass == 0 ? 1 : 2 * i)];
        mma_bf16(partial[step % 3], a[i][step], w[0], w[1]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) sum[i] += partial[0][i] + partial[1][i] + partial[2][i];
}

// Before a pool: the five rows of outputs that give two pooled rows, for one tile of 16 pixels.
template <class Tile, int TILES, class Wait>
__device__ inline void conv_five_rows(float (&sum)[5][TILES][4], std::uint32_t base,
                                      const std::uint32_t (&b)[9 * Tile::kChannels / 16][2 * TILES],
                                      Wait wait_halo) {
  constexpr int kChunks = Tile::kChannels / 16;
  constexpr int kSteps = 3 * kChunks;
#pragma unroll
  for (int pass = 0; pass < 2; ++pass) {  // rows 2..5 of the seven inputs, then 0, 1 and 6
    std::uint32_t a[2][4][4];
    const auto row = [&](int i) { return pass == 0 ? 2 + i : i == 2 ? 6 : i; };
    const auto load = [&](int step) {
#pragma unroll
      for (int i = 0; i < 4 - pass; ++i) {
        ldmatrix_x4(a[step & 1][i], base + row(i) * Tile::kPitch + (step / kChunks) * Tile::kPixel +
                                        (step % kChunks) * 32);
      }
    };
    if (pass == 1) wait_halo();
    load(0);
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (step + 1 < kSteps) load(step + 1);
#pragma unroll
      for (int i = 0; i < 4 - pass; ++i) {
#pragma unroll
        for (int dy = 0; dy < 3; ++dy) {
          const int out = row(i) - dy;
          if (out < 0 || out > 4) continue;
#pragma unroll
          for (int tile = 0; tile < TILES; ++tile) {
            mma_bf16(sum[out][tile], a[step & 1][i], b[step * 3 + dy][2 * tile],
                     b[step * 3 + dy][2 * tile + 1]);
          }
        }
      }
    }
  }
}

// The same without a neighbor, and with the sum of every output taken in the same order, whatever
// its row: where the image is uniform, outputs are then bitwise equal, and the argmax is the first
// of them.
template <class Tile, int TILES>
__device__ inline void conv_five_rows_same_order(
    float (&sum)[5][TILES][4], std::uint32_t base,
    const std::uint32_t (&b)[9 * Tile::kChannels / 16][2 * TILES]) {
  constexpr int kChunks = Tile::kChannels / 16;
  constexpr int kLoads = 7 * 3 * kChunks;
  constexpr int kAhead = 3;
  std::uint32_t a[kAhead + 1][4];
  const auto load = [&](int i) {
    const int step = i / 7;
    ldmatrix_x4(a[i % (kAhead + 1)], base + i % 7 * Tile::kPitch + (step / kChunks) * Tile::kPixel +
                                         (step % kChunks) * 32);
  };
#pragma unroll
  for (int i = 0; i < kAhead; ++i) load(i);
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    if (i + kAhead < kLoads) load(i + kAhead);
#pragma unroll
    for (int dy = 0; dy < 3; ++dy) {
      const int out = i % 7 - dy;
      if (out < 0 || out > 4) continue;
      const std::uint32_t (&w)[2 * TILES] = b[i / 7 * 3 + dy];
#pragma unroll
      for (int tile = 0; tile < TILES; ++tile) {
        mma_bf16(sum[out][tile], a[i % (kAhead + 1)], w[2 * tile], w[2 * tile + 1]);
      }
    }
  }
}

// In the backward pass of stage 1: four rows of outputs of 16 pixels and two n-tiles, from six rows
// of inputs.
template <class Tile, int CHUNKS>
__device__ inline void conv_four_rows(float (&sum)[4][2][4], std::uint32_t base,
                                      const std::uint32_t (&b)[9 * CHUNKS][4]) {
  constexpr int kSteps = 3 * CHUNKS;
#pragma unroll
  for (int pass = 0; pass < 2; ++pass) {  // rows 0..2 of the six inputs, then 3..5
    std::uint32_t a[2][3][4];
    const auto load = [&](int step) {
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        ldmatrix_x4(a[step & 1][i], base + (pass * 3 + i) * Tile::kPitch +
                                        (step / CHUNKS) * Tile::kPixel + (step % CHUNKS) * 32);
      }
    };
    load(0);
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (step + 1 < kSteps) load(step + 1);
#pragma unroll
      for (int i = 0; i < 3; ++i) {
#pragma unroll
        for (int dy = 0; dy < 3; ++dy) {
          const int out = pass * 3 + i - dy;
          if (out < 0 || out > 3) continue;
          const std::uint32_t (&w)[4] = b[step * 3 + dy];
          mma_bf16(sum[out][0], a[step & 1][i], w[0], w[1]);
          mma_bf16(sum[out][1], a[step & 1][i], w[2], w[3]);
        }
      }
    }
  }
}

}  // namespace plr::cuda::impala
