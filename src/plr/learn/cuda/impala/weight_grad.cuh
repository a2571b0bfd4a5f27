// How are the gradients of a layer's weights summed over a mini-batch?
//
// As a product of matrices whose inner dimension is pixels: [input][pixel] times [pixel][output],
// for each of nine shifts, both loaded transposed; a row of ones gives the bias.  A block goes
// through tiles, ROWS rows of an image or IMAGES whole small ones, that copies bring ahead of time,
// keeps its sums in registers to the end and leaves one part.
//
// Warp (shift, place): its shift dx, or all three of them if SHIFTS is 1, and its pixels of a tile.
// It walks down the rows, so that a fragment of an input row, once loaded, serves three rows of
// gradients.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/impala/tensor_maps.h"

namespace plr::cuda::impala {

template <int INPUTS, int OUTPUTS, int SIDE, int ROWS, int IMAGES, int SHIFTS, int PLACES,
          int BLOCKS, int STAGES>
struct WeighShape {
  static constexpr int kInputs = INPUTS;
  static constexpr int kOutputs = OUTPUTS;
  static constexpr int kSide = SIDE;
  static constexpr int kRows = ROWS;
  static constexpr int kImages = IMAGES;
  static constexpr int kShifts = SHIFTS;
  static constexpr int kPlaces = PLACES;
  static constexpr int kBlocks = BLOCKS;  // on a processor
  static constexpr int kStages = STAGES;
  static constexpr int kThreads = SHIFTS * PLACES * 32;
  // 16 channels come as whole rows, without padding: banks are met twice, yet tensor copies of such
  // small pixels would take longer.  32 channels come by tensor copies, padded.
  static constexpr bool kDenseInputs = INPUTS == 16;
  static constexpr bool kDenseOutputs = OUTPUTS == 16;
  static constexpr int kPixelIn = kDenseInputs ? 32 : 80;  // bytes
  static constexpr int kPixelOut = kDenseOutputs ? 32 : 80;
  static constexpr int kPitchIn = (SIDE + 2) * kPixelIn;
  static constexpr int kImageIn = (ROWS + 2) * kPitchIn;
  static constexpr int kImageOut = ROWS * SIDE * kPixelOut;
  static constexpr int kGradients = (IMAGES * kImageIn + 127) / 128 * 128;
  static constexpr int kStage = kGradients + (IMAGES * kImageOut + 127) / 128 * 128;
  // In the end warps add up here; rows are padded so that no bank is met twice.
  static constexpr int kSumPitch = OUTPUTS + 8;
  static constexpr int kSums = (9 * INPUTS + 1) * kSumPitch * 4;
  static constexpr int kBarriers = STAGES * kStage > kSums ? STAGES * kStage : kSums;
  static constexpr int kTotal = kBarriers + STAGES * 16;
  static_assert(BLOCKS * (kTotal + 1024) <= 228 * 1024, "a Hopper has no more");
};

using Weigh1 = WeighShape<16, 16, 32, 16, 1, 1, 8, 2, 3>;  // layers 1 to 4
using Weigh5 = WeighShape<16, 32, 32, 16, 1, 3, 4, 1, 3>;
using Weigh6 = WeighShape<32, 32, 16, 16, 1, 3, 4, 1, 4>;  // 6 to 10
using Weigh11 = WeighShape<32, 32, 8, 8, 4, 3, 4, 1, 4>;   // 11 to 14

// Adds two numbers to what earlier warps have left in shared memory.
__device__ inline void add_pair(float* sums, bool is_first, float v0, float v1) {
  auto* place = reinterpret_cast<float2*>(sums);
  if (!is_first) {
    const float2 old = *place;
    v0 += old.x;
    v1 += old.y;
  }
  *place = make_float2(v0, v1);
}

template <class S>
struct Weigher {
  static constexpr int kPerImage = S::kSide / S::kRows;  // tiles; 1 where a tile has many images
  static constexpr int kShiftsEach = 3 / S::kShifts;     // of a warp
  static constexpr int kInTiles = S::kInputs / 16;
  static constexpr int kOutTiles = S::kOutputs / 8;
  // The warps' pixels: columns of 16, groups of rows, images.  Small images have two rows in 16.
  static constexpr bool kSmall = S::kSide == 8;
  static constexpr int kColumns = S::kSide == 32 ? 2 : 1;
  static constexpr int kGroups = kSmall ? 1 : S::kPlaces / kColumns / S::kImages;
  static constexpr int kSteps = kSmall ? 4 : S::kRows / kGroups;  // of a warp in a tile
  static constexpr int kStepRows = kSmall ? 2 : 1;
  // A stage is refilled a tile late where there are enough, so that warps may drift apart.
  static constexpr int kLag = S::kStages > 2 ? 1 : 0;

  const WeighMaps* maps;
  const std::uint16_t* inputs;
  const std::uint16_t* gradients;
  int num_tiles;
  std::uint32_t memory;
  int lane, warp, shift, place;
  int first_row;  // of the warp's, in the tile
  std::uint32_t in_lane, out_lane;

  __device__ Weigher(const WeighMaps* given, const std::uint16_t* from, const std::uint16_t* grads,
                     int batch, std::uint32_t shared)
      : maps(given),
        inputs(from),
        gradients(grads),
        num_tiles(S::kImages > 1 ? (batch + S::kImages - 1) / S::kImages : batch * kPerImage),
        memory(shared),
        lane(static_cast<int>(threadIdx.x) & 31),
        warp(static_cast<int>(threadIdx.x) >> 5),
        shift(S::kShifts == 1 ? 0 : warp % S::kShifts),
        place(warp / S::kShifts) {
    const int column = kColumns == 2 ? place & 1 : 0;
    const int image = kSmall ? place : place / kColumns / kGroups;
    first_row = kSmall ? 0 : place / kColumns % kGroups * kSteps;
    // Transposed loads: of inputs, pixels 0-7 with two halves of channels, then pixels 8-15; of
    // gradients, pixels 0-15 with one half, then with the other.
    const int in_pixel = (lane & 7) + ((lane >> 4) & 1) * 8;
    const int out_pixel = (lane & 7) + ((lane >> 3) & 1) * 8;
    const int in_place =
        kSmall ? (in_pixel >> 3) * S::kPitchIn + ((in_pixel & 7) + shift) * S::kPixelIn
               : first_row * S::kPitchIn + (column * 16 + in_pixel + shift) * S::kPixelIn;
    const int out_place = kSmall ? out_pixel : first_row * S::kSide + column * 16 + out_pixel;
    in_lane = image * S::kImageIn + in_place + ((lane >> 3) & 1) * 16;
    out_lane =
        S::kGradients + image * S::kImageOut + out_place * S::kPixelOut + ((lane >> 4) & 1) * 16;
  }

  __device__ std::uint32_t is_full(int stage) const { return memory + S::kBarriers + stage * 8; }
  __device__ std::uint32_t is_empty(int stage) const { return is_full(S::kStages + stage); }

  // The first row of its image that a tile has.
  __device__ static int row_of(int tile) {
    return S::kImages > 1 ? 0 : tile % kPerImage * S::kRows;
  }

  // Orders the copies of a tile; by one warp.
  __device__ void load(int tile, int stage) const {
    const int image = S::kImages > 1 ? tile * S::kImages : tile / kPerImage;
    const int row = row_of(tile);
    const std::uint32_t to = memory + stage * S::kStage;
    const std::uint32_t arrival = is_full(stage);
    // Rows of inputs inside of the image, for those that come row by row.
    const int first = row == 0 ? 1 : 0;
    const int num_rows = S::kRows + 2 - first - (row + S::kRows == S::kSide ? 1 : 0);
    if (lane == 0) {
      barrier_expect(arrival, (S::kDenseInputs ? num_rows * S::kSide * S::kPixelIn
                                               : S::kImages * S::kImageIn) +
                                  S::kImages * S::kImageOut);
    }
    __syncwarp();
    if constexpr (S::kDenseInputs) {
      if (lane >= first && lane < first + num_rows) {
        bulk_copy(to + lane * S::kPitchIn + S::kPixelIn,
                  inputs + (image * S::kSide + row - 1 + lane) * S::kSide * S::kInputs,
                  S::kSide * S::kPixelIn, arrival);
      }
    } else if (lane == 0) {
      tensor_load(to, &maps->inputs, -1, row - 1, image, arrival);
    }
    if (lane != 31) return;
    if constexpr (S::kDenseOutputs) {
      bulk_copy(to + S::kGradients, gradients + (image * S::kSide + row) * S::kSide * S::kOutputs,
                S::kImageOut, arrival);
    } else {
      tensor_load(to + S::kGradients, &maps->gradients, 0, row, image, arrival);
    }
  }

  __device__ void begin() const {
    if (threadIdx.x == 0) {
      for (int i = 0; i < S::kStages; ++i) {
        barrier_init(is_full(i), 1);
        barrier_init(is_empty(i), S::kThreads / 32);
      }
      fence_barriers();
    }
    __syncwarp();
    if (warp == 0) {
      for (int i = 0; i < S::kStages; ++i) {
        const int tile = static_cast<int>(blockIdx.x + i * gridDim.x);
        if (tile < num_tiles) load(tile, i);
      }
    }
    if constexpr (S::kDenseInputs) {  // beside the image
      constexpr int kHalves = S::kStages * (S::kRows + 2) * 4;
      for (int i = static_cast<int>(threadIdx.x); i < kHalves; i += S::kThreads) {
        store_zeros128(memory + i / 4 / (S::kRows + 2) * S::kStage +
                       i / 4 % (S::kRows + 2) * S::kPitchIn +
                       ((i & 2) != 0 ? (S::kSide + 1) * S::kPixelIn : 0) + (i & 1) * 16);
      }
    }
    __syncthreads();
  }

  // All tiles of the block.  HAS_BIAS: two copies of the loop, since products that are switched off
  // still take their time.
  template <bool HAS_BIAS>
  __device__ void sum_tiles(float (&sum)[kShiftsEach][3][kInTiles][kOutTiles][4],
                            float (&bias)[kOutTiles][4]) const {
    const int stride = static_cast<int>(gridDim.x);
    int stage = 0;
    int phase = 0;
    int n = 0;
    for (int tile = static_cast<int>(blockIdx.x); tile < num_tiles; tile += stride, ++n) {
      barrier_wait(is_full(stage), phase);
      const std::uint32_t at = memory + stage * S::kStage;
      sum_tile<HAS_BIAS>(row_of(tile) + first_row, at + in_lane, at + out_lane, sum, bias);
      __syncwarp();
      if (lane == 0) barrier_arrive(is_empty(stage));
      if (warp == 0 && n >= kLag) {
        const int next = tile + (S::kStages - kLag) * stride;
        const int done = n - kLag;
        if (next < num_tiles) {
          barrier_wait(is_empty(done % S::kStages), (done / S::kStages) & 1);
          load(next, done % S::kStages);
        }
      }
      __syncwarp();
      if (++stage == S::kStages) {
        stage = 0;
        phase ^= 1;
      }
    }
  }

  template <bool HAS_BIAS>
  __device__ static void sum_tile(int row, std::uint32_t in, std::uint32_t out,
                                  float (&sum)[kShiftsEach][3][kInTiles][kOutTiles][4],
                                  float (&bias)[kOutTiles][4]) {
    constexpr std::uint32_t kOnes[4] = {0x3f803f80U, 0x3f803f80U, 0x3f803f80U, 0x3f803f80U};
    // Dense rows above and below the image were not copied.
    const bool is_top = S::kDenseInputs && row == 0;
    const bool is_bottom = S::kDenseInputs && row + kSteps == S::kSide;
    std::uint32_t a[3][kShiftsEach][kInTiles][4];  // row r of the inputs is in r % 3
    const auto load_row = [&](int r) {
      if (S::kDenseInputs && ((r == 0 && is_top) || (r == kSteps + 1 && is_bottom))) {
#pragma unroll
        for (int i = 0; i < kShiftsEach * kInTiles * 4; ++i) (&a[r % 3][0][0][0])[i] = 0;
        return;
      }
#pragma unroll
      for (int s = 0; s < kShiftsEach; ++s) {
#pragma unroll
        for (int i = 0; i < kInTiles; ++i) {
          load_transposed(a[r % 3][s][i], in + r * S::kPitchIn + s * S::kPixelIn + i * 32);
        }
      }
    };
    load_row(0);
    if (kStepRows == 1) load_row(1);
#pragma unroll
    for (int j = 0; j < kSteps; ++j) {
      if (kStepRows == 2) load_row(2 * j + 1);
      load_row(kStepRows * j + 2);
      std::uint32_t b[kOutTiles / 2][4];
#pragma unroll
      for (int n = 0; n < kOutTiles / 2; ++n) {
        load_transposed(b[n], out + j * (kSmall ? 16 : S::kSide) * S::kPixelOut + n * 32);
      }
#pragma unroll
      for (int dy = 0; dy < 3; ++dy) {
#pragma unroll
        for (int s = 0; s < kShiftsEach; ++s) {
#pragma unroll
          for (int i = 0; i < kInTiles; ++i) {
#pragma unroll
            for (int n = 0; n < kOutTiles; ++n) {
              mma(sum[s][dy][i][n], a[(kStepRows * j + dy) % 3][s][i], b[n / 2][(n & 1) * 2],
                  b[n / 2][(n & 1) * 2 + 1]);
            }
          }
        }
      }
      if constexpr (HAS_BIAS) {
#pragma unroll
        for (int n = 0; n < kOutTiles; ++n) {
          mma(bias[n], kOnes, b[n / 2][(n & 1) * 2], b[n / 2][(n & 1) * 2 + 1]);
        }
      }
    }
  }
};

}  // namespace plr::cuda::impala
