// Weight gradients of one layer, summed over a mini-batch: what a warp computes.
//
// They are a matrix product whose inner dimension is pixels: [input][pixel] times [pixel][output],
// for each of nine taps, both operands loaded transposed; a row of ones gives the bias.  A thread
// block loops over tiles, some rows of an image or several small images, which are copied ahead of
// time; it keeps its sums in registers to the end and writes one partial sum.
//
// A warp owns a shift dx, or all three of them, and a group of the tile's pixels.  It walks down
// the rows, so that a fragment of an input row, once loaded, is used for three rows of gradients.
//
// How tiles are copied and where they are in shared memory depends on the GPU: weight_grad.cuh is
// for Hopper, portable_weight_grad.cuh for every GPU since Ampere.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/impala/layers.h"

namespace plr::cuda::impala {

// How a layer's weight gradients are computed.
struct WeightGradTile {
  int inputs, outputs;  // channels of the layer
  int side;             // of its images
  int rows;             // of a tile
  int images;           // of a tile
  int shifts;           // warps that share the three shifts dx: 3, or 1 if each has all of them
  int pixel_groups;     // warps that share the pixels of a tile
  int blocks;           // thread blocks per multiprocessor
  int stages;           // tiles in shared memory
};

// The configurations of layers 1 to 4, 5, 6 to 10, and 11 to 14.  They are types, since nvcc takes
// no class-type value as a kernel's template parameter.
struct Stage1Layers {
  static constexpr WeightGradTile kTile = {.inputs = 16,
                                           .outputs = 16,
                                           .side = 32,
                                           .rows = 16,
                                           .images = 1,
                                           .shifts = 1,
                                           .pixel_groups = 8,
                                           .blocks = 2,
                                           .stages = 3};
};
struct Stage2Conv {
  static constexpr WeightGradTile kTile = {.inputs = 16,
                                           .outputs = 32,
                                           .side = 32,
                                           .rows = 16,
                                           .images = 1,
                                           .shifts = 3,
                                           .pixel_groups = 4,
                                           .blocks = 1,
                                           .stages = 3};
};
struct Stage2Layers {
  static constexpr WeightGradTile kTile = {.inputs = 32,
                                           .outputs = 32,
                                           .side = 16,
                                           .rows = 16,
                                           .images = 1,
                                           .shifts = 3,
                                           .pixel_groups = 4,
                                           .blocks = 1,
                                           .stages = 4};
};
struct Stage3Layers {
  static constexpr WeightGradTile kTile = {.inputs = 32,
                                           .outputs = 32,
                                           .side = 8,
                                           .rows = 8,
                                           .images = 4,
                                           .shifts = 3,
                                           .pixel_groups = 4,
                                           .blocks = 1,
                                           .stages = 4};
};

// Adds two numbers to what earlier warps have written to shared memory; the first warp writes.
__device__ inline void add_pair(float* sums, bool is_first, float v0, float v1) {
  auto* pair = reinterpret_cast<float2*>(sums);
  if (!is_first) {
    const float2 old = *pair;
    v0 += old.x;
    v1 += old.y;
  }
  *pair = make_float2(v0, v1);
}

// A warp's share of the work on a tile.
template <WeightGradTile T>
struct WeightGradWarp {
  static constexpr int kThreads = T.shifts * T.pixel_groups * 32;  // of the thread block
  static constexpr int kTilesPerImage = T.side / T.rows;  // 1 where a tile has several images
  static constexpr int kShiftsPerWarp = 3 / T.shifts;
  static constexpr int kInTiles = T.inputs / 16;
  static constexpr int kOutTiles = T.outputs / 8;
  // A warp's pixels: a column of 16, a group of rows, an image.  Small images have two rows in 16
  // pixels.
  static constexpr bool kIsSmall = T.side == 8;
  static constexpr int kColumns = T.side == 32 ? 2 : 1;
  static constexpr int kRowGroups = kIsSmall ? 1 : T.pixel_groups / kColumns / T.images;
  static constexpr int kSteps = kIsSmall ? 4 : T.rows / kRowGroups;  // of a warp in a tile
  static constexpr int kRowsPerStep = kIsSmall ? 2 : 1;
  static constexpr int kStepPixels = kIsSmall ? 16 : T.side;  // from one step to the next
  static constexpr int kSumPitch = T.outputs + 8;  // floats, padded against bank conflicts
  static constexpr int kSums = (9 * T.inputs + 1) * kSumPitch * 4;  // bytes of reduce_and_store()

  struct Sums {
    float weights[kShiftsPerWarp][3][kInTiles][kOutTiles][4] = {};  // [shift][dy]...[fragment]
    float bias[kOutTiles][4] = {};
  };

  int lane, warp, shift, pixel_group;
  int image;      // of the tile
  int first_row;  // in the tile
  // This lane's pixel for transposed loads: of inputs, pixels 0-7 with two halves of channels, then
  // pixels 8-15; of gradients, pixels 0-15 with one half, then with the other.
  int in_x, in_row, in_half;       // x counts from -1, the halo
  int out_pixel, out_x, out_half;  // the pixel in the tile's image, and its x

  __device__ WeightGradWarp()
      : lane(static_cast<int>(threadIdx.x) & 31),
        warp(static_cast<int>(threadIdx.x) >> 5),
        shift(T.shifts == 1 ? 0 : warp % T.shifts),
        pixel_group(warp / T.shifts),
        image(kIsSmall ? pixel_group : pixel_group / kColumns / kRowGroups),
        first_row(kIsSmall ? 0 : pixel_group / kColumns % kRowGroups * kSteps),
        in_half((lane >> 3) & 1),
        out_half((lane >> 4) & 1) {
    const int column = kColumns == 2 ? pixel_group & 1 : 0;
    const int in = (lane & 7) + ((lane >> 4) & 1) * 8;
    const int out = (lane & 7) + ((lane >> 3) & 1) * 8;
    in_x = (kIsSmall ? in & 7 : column * 16 + in) + shift;
    in_row = kIsSmall ? in >> 3 : first_row;
    out_x = kIsSmall ? out & 7 : column * 16 + out;
    out_pixel = kIsSmall ? out : first_row * T.side + out_x;
  }

  // The number of tiles, the first image of a tile, and the row of the image at which it begins.
  __device__ static int num_tiles(int batch) {
    return T.images > 1 ? (batch + T.images - 1) / T.images : batch * kTilesPerImage;
  }
  __device__ static int tile_image(int tile) {
    return T.images > 1 ? tile * T.images : tile / kTilesPerImage;
  }
  __device__ static int tile_row(int tile) {
    return T.images > 1 ? 0 : tile % kTilesPerImage * T.rows;
  }

  // Adds one tile.  in(r, s, i) is this lane's ldmatrix address for row r of the warp's inputs,
  // shift s and channels from 16 i on; out(j, n) that for step j of the gradients and channels from
  // 16 n on.  Rows that are missing above or below are zero.
  template <bool HAS_BIAS, class In, class Out>
  __device__ static void sum_tile(In in, Out out, bool is_top_missing, bool is_bottom_missing,
                                  Sums& sums) {
    constexpr std::uint32_t kOnes[4] = {0x3f803f80U, 0x3f803f80U, 0x3f803f80U,
                                        0x3f803f80U};  // bf16
    std::uint32_t a[3][kShiftsPerWarp][kInTiles][4];   // row r of the inputs is in r % 3
    const auto load_row = [&](int r) {
      if ((r == 0 && is_top_missing) || (r == kSteps + 1 && is_bottom_missing)) {
#pragma unroll
        for (int i = 0; i < kShiftsPerWarp * kInTiles * 4; ++i) (&a[r % 3][0][0][0])[i] = 0;
        return;
      }
#pragma unroll
      for (int s = 0; s < kShiftsPerWarp; ++s) {
#pragma unroll
        for (int i = 0; i < kInTiles; ++i) ldmatrix_x4_trans(a[r % 3][s][i], in(r, s, i));
      }
    };
    load_row(0);
    if (kRowsPerStep == 1) load_row(1);
#pragma unroll
    for (int j = 0; j < kSteps; ++j) {
      if (kRowsPerStep == 2) load_row(2 * j + 1);
      load_row(kRowsPerStep * j + 2);
      std::uint32_t b[kOutTiles / 2][4];
#pragma unroll
      for (int n = 0; n < kOutTiles / 2; ++n) ldmatrix_x4_trans(b[n], out(j, n));
#pragma unroll
      for (int dy = 0; dy < 3; ++dy) {
#pragma unroll
        for (int s = 0; s < kShiftsPerWarp; ++s) {
#pragma unroll
          for (int i = 0; i < kInTiles; ++i) {
#pragma unroll
            for (int n = 0; n < kOutTiles; ++n) {
              mma_bf16(sums.weights[s][dy][i][n], a[(kRowsPerStep * j + dy) % 3][s][i],
                       b[n / 2][(n & 1) * 2], b[n / 2][(n & 1) * 2 + 1]);
            }
          }
        }
      }
      if constexpr (HAS_BIAS) {
#pragma unroll
        for (int n = 0; n < kOutTiles; ++n) {
          mma_bf16(sums.bias[n], kOnes, b[n / 2][(n & 1) * 2], b[n / 2][(n & 1) * 2 + 1]);
        }
      }
    }
  }

  // Adds the sums of the warps with different pixels in order, in `shared`, and writes the partial
  // sum, whose rows have `row_size` numbers.
  __device__ void reduce_and_store(const Sums& sums, float* shared, float* partial,
                                   int row_size) const {
    const int g = lane >> 2;
    const int q = lane & 3;
    __syncthreads();
#pragma unroll 1
    for (int group = 0; group < T.pixel_groups; ++group) {
      if (pixel_group == group) {
#pragma unroll
        for (int s = 0; s < kShiftsPerWarp; ++s) {
#pragma unroll
          for (int dy = 0; dy < 3; ++dy) {
#pragma unroll
            for (int i = 0; i < kInTiles; ++i) {
#pragma unroll
              for (int n = 0; n < kOutTiles; ++n) {
                const float (&v)[4] = sums.weights[s][dy][i][n];
                const int row = (dy * 3 + shift + s) * T.inputs + i * 16 + g;
                const int column = n * 8 + 2 * q;
                add_pair(shared + row * kSumPitch + column, group == 0, v[0], v[1]);
                add_pair(shared + (row + 8) * kSumPitch + column, group == 0, v[2], v[3]);
              }
            }
          }
        }
        if (shift == 0 && g == 0) {
#pragma unroll
          for (int n = 0; n < kOutTiles; ++n) {
            add_pair(shared + 9 * T.inputs * kSumPitch + n * 8 + 2 * q, group == 0, sums.bias[n][0],
                     sums.bias[n][1]);
          }
        }
      }
      __syncthreads();
    }
    for (int i = static_cast<int>(threadIdx.x); i < (9 * T.inputs + 1) * T.outputs; i += kThreads) {
      partial[i / T.outputs * row_size + i % T.outputs] =
          shared[i / T.outputs * kSumPitch + i % T.outputs];
    }
  }
};

// Calls use(configuration of the layer).
template <class Use>
void with_layers(int layer, Use use) {
  if (layer < kStage2) {
    use(Stage1Layers());
  } else if (layer == kStage2) {
    use(Stage2Conv());
  } else if (layer <= kStage3) {
    use(Stage2Layers());
  } else {
    use(Stage3Layers());
  }
}

}  // namespace plr::cuda::impala
