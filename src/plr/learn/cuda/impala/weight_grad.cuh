// Weight gradients of one layer, summed over a mini-batch.
//
// They are a matrix product whose inner dimension is pixels: [input][pixel] times [pixel][output],
// for each of nine taps, both operands loaded transposed; a row of ones gives the bias.  A thread
// block loops over tiles, some rows of an image or several small images, which are copied ahead of
// time; it keeps its sums in registers to the end and writes one partial sum.
//
// A warp owns a shift dx, or all three of them, and a group of the tile's pixels.  It walks down
// the rows, so that a fragment of an input row, once loaded, is used for three rows of gradients.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/impala/weight_grad_maps.h"

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

// Shared memory of a thread block: stages of inputs and gradients, then barriers.  At the end the
// warps' sums take the place of the stages.
template <WeightGradTile T>
struct WeightGradSmem {
  static constexpr int kThreads = T.shifts * T.pixel_groups * 32;
  // 16 channels are copied as whole rows without padding: there are bank conflicts, but tensor
  // copies of such small pixels would take longer.  32 channels are copied by tensor copies,
  // padded.
  static constexpr bool kDenseInputs = T.inputs == 16;
  static constexpr bool kDenseOutputs = T.outputs == 16;
  static constexpr int kPixelIn = kDenseInputs ? 32 : 80;  // bytes
  static constexpr int kPixelOut = kDenseOutputs ? 32 : 80;
  static constexpr int kPitchIn = (T.side + 2) * kPixelIn;
  static constexpr int kImageIn = (T.rows + 2) * kPitchIn;
  static constexpr int kImageOut = T.rows * T.side * kPixelOut;
  static constexpr int kGradients = (T.images * kImageIn + 127) / 128 * 128;
  static constexpr int kStage = kGradients + (T.images * kImageOut + 127) / 128 * 128;
  static constexpr int kSumPitch = T.outputs + 8;  // floats, padded against bank conflicts
  static constexpr int kSums = (9 * T.inputs + 1) * kSumPitch * 4;
  static constexpr int kBarriers = T.stages * kStage > kSums ? T.stages * kStage : kSums;
  static constexpr int kTotal = kBarriers + T.stages * 16;
  static_assert(T.blocks * (kTotal + 1024) <= 228 * 1024, "more shared memory than a Hopper has");
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

template <WeightGradTile T>
struct WeightGrad {
  using Smem = WeightGradSmem<T>;
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
  // A stage is refilled one tile late where there are enough, so that warps may drift apart.
  static constexpr int kLag = T.stages > 2 ? 1 : 0;

  const WeightGradMaps* maps;
  const std::uint16_t* inputs;
  const std::uint16_t* output_grads;
  int num_tiles;
  std::uint32_t memory;
  int lane, warp, shift, pixel_group;
  int first_row;                    // of the warp, in the tile
  std::uint32_t in_lane, out_lane;  // this lane's ldmatrix offsets in a stage

  __device__ WeightGrad(const WeightGradMaps* tensor_maps, const std::uint16_t* layer_inputs,
                        const std::uint16_t* layer_output_grads, int batch, std::uint32_t shared)
      : maps(tensor_maps),
        inputs(layer_inputs),
        output_grads(layer_output_grads),
        num_tiles(T.images > 1 ? (batch + T.images - 1) / T.images : batch * kTilesPerImage),
        memory(shared),
        lane(static_cast<int>(threadIdx.x) & 31),
        warp(static_cast<int>(threadIdx.x) >> 5),
        shift(T.shifts == 1 ? 0 : warp % T.shifts),
        pixel_group(warp / T.shifts) {
    const int column = kColumns == 2 ? pixel_group & 1 : 0;
    const int image = kIsSmall ? pixel_group : pixel_group / kColumns / kRowGroups;
    first_row = kIsSmall ? 0 : pixel_group / kColumns % kRowGroups * kSteps;
    // Transposed loads: of inputs, pixels 0-7 with two halves of channels, then pixels 8-15; of
    // gradients, pixels 0-15 with one half, then with the other.
    const int in_pixel = (lane & 7) + ((lane >> 4) & 1) * 8;
    const int out_pixel = (lane & 7) + ((lane >> 3) & 1) * 8;
    const int in_offset =
        kIsSmall ? (in_pixel >> 3) * Smem::kPitchIn + ((in_pixel & 7) + shift) * Smem::kPixelIn
                 : first_row * Smem::kPitchIn + (column * 16 + in_pixel + shift) * Smem::kPixelIn;
    const int out_index = kIsSmall ? out_pixel : first_row * T.side + column * 16 + out_pixel;
    in_lane = image * Smem::kImageIn + in_offset + ((lane >> 3) & 1) * 16;
    out_lane = Smem::kGradients + image * Smem::kImageOut + out_index * Smem::kPixelOut +
               ((lane >> 4) & 1) * 16;
  }

  // ---- copies ----------------------------------------------------------------------------------

  // Complete when a stage's tile has arrived, and when all warps have read it.
  __device__ std::uint32_t full_barrier(int stage) const {
    return memory + Smem::kBarriers + stage * 8;
  }
  __device__ std::uint32_t empty_barrier(int stage) const { return full_barrier(T.stages + stage); }

  // The row of the image at which a tile begins.
  __device__ static int tile_row(int tile) {
    return T.images > 1 ? 0 : tile % kTilesPerImage * T.rows;
  }

  // Starts to copy a tile; called by one warp.
  __device__ void load(int tile, int stage) const {
    const int image = T.images > 1 ? tile * T.images : tile / kTilesPerImage;
    const int row = tile_row(tile);
    const std::uint32_t to = memory + stage * Smem::kStage;
    const std::uint32_t barrier = full_barrier(stage);
    // Rows of inputs inside of the image, for those that are copied row by row.
    const int first = row == 0 ? 1 : 0;
    const int num_rows = T.rows + 2 - first - (row + T.rows == T.side ? 1 : 0);
    if (lane == 0) {
      mbarrier_arrive_expect_tx(barrier, (Smem::kDenseInputs ? num_rows * T.side * Smem::kPixelIn
                                                             : T.images * Smem::kImageIn) +
                                             T.images * Smem::kImageOut);
    }
    __syncwarp();
    if constexpr (Smem::kDenseInputs) {
      if (lane >= first && lane < first + num_rows) {
        cp_async_bulk(to + lane * Smem::kPitchIn + Smem::kPixelIn,
                      inputs + (image * T.side + row - 1 + lane) * T.side * T.inputs,
                      T.side * Smem::kPixelIn, barrier);
      }
    } else if (lane == 0) {
      cp_async_bulk_tensor_load(to, &maps->inputs, -1, row - 1, image, barrier);
    }
    if (lane != 31) return;
    if constexpr (Smem::kDenseOutputs) {
      cp_async_bulk(to + Smem::kGradients,
                    output_grads + (image * T.side + row) * T.side * T.outputs, Smem::kImageOut,
                    barrier);
    } else {
      cp_async_bulk_tensor_load(to + Smem::kGradients, &maps->output_grads, 0, row, image, barrier);
    }
  }

  // Initializes the barriers and starts to copy the first tiles.
  __device__ void start_copies() const {
    if (threadIdx.x == 0) {
      for (int i = 0; i < T.stages; ++i) {
        mbarrier_init(full_barrier(i), 1);
        mbarrier_init(empty_barrier(i), Smem::kThreads / 32);
      }
      fence_mbarrier_init();
    }
    __syncwarp();
    if (warp == 0) {
      for (int i = 0; i < T.stages; ++i) {
        const int tile = static_cast<int>(blockIdx.x + i * gridDim.x);
        if (tile < num_tiles) load(tile, i);
      }
    }
    if constexpr (Smem::kDenseInputs) {  // zeros beside the image
      constexpr int kHalves = T.stages * (T.rows + 2) * 4;
      for (int i = static_cast<int>(threadIdx.x); i < kHalves; i += Smem::kThreads) {
        st_shared_zeros_16(memory + i / 4 / (T.rows + 2) * Smem::kStage +
                           i / 4 % (T.rows + 2) * Smem::kPitchIn +
                           ((i & 2) != 0 ? (T.side + 1) * Smem::kPixelIn : 0) + (i & 1) * 16);
      }
    }
    __syncthreads();
  }

  // ---- sums ------------------------------------------------------------------------------------

  // Sums over all tiles of the thread block.  HAS_BIAS: the loop is compiled twice, since products
  // that are predicated off still take time.
  template <bool HAS_BIAS>
  __device__ void sum_tiles(float (&sum)[kShiftsPerWarp][3][kInTiles][kOutTiles][4],
                            float (&bias)[kOutTiles][4]) const {
    const int stride = static_cast<int>(gridDim.x);
    int stage = 0;
    int phase = 0;
    int n = 0;
    for (int tile = static_cast<int>(blockIdx.x); tile < num_tiles; tile += stride, ++n) {
      mbarrier_wait(full_barrier(stage), phase);
      const std::uint32_t at = memory + stage * Smem::kStage;
      sum_tile<HAS_BIAS>(tile_row(tile) + first_row, at + in_lane, at + out_lane, sum, bias);
      __syncwarp();
      if (lane == 0) mbarrier_arrive(empty_barrier(stage));
      if (warp == 0 && n >= kLag) {
        const int next = tile + (T.stages - kLag) * stride;
        const int done = n - kLag;
        if (next < num_tiles) {
          mbarrier_wait(empty_barrier(done % T.stages), (done / T.stages) & 1);
          load(next, done % T.stages);
        }
      }
      __syncwarp();
      if (++stage == T.stages) {
        stage = 0;
        phase ^= 1;
      }
    }
  }

  // Adds one tile.  `row`: the image row at which the warp begins; `in`, `out`: this lane's
  // addresses.
  template <bool HAS_BIAS>
  __device__ static void sum_tile(int row, std::uint32_t in, std::uint32_t out,
                                  float (&sum)[kShiftsPerWarp][3][kInTiles][kOutTiles][4],
                                  float (&bias)[kOutTiles][4]) {
    constexpr std::uint32_t kOnes[4] = {0x3f803f80U, 0x3f803f80U, 0x3f803f80U,
                                        0x3f803f80U};  // bf16
    // Dense rows above and below the image were not copied.
    const bool is_top = Smem::kDenseInputs && row == 0;
    const bool is_bottom = Smem::kDenseInputs && row + kSteps == T.side;
    std::uint32_t a[3][kShiftsPerWarp][kInTiles][4];  // row r of the inputs is in r % 3
    const auto load_row = [&](int r) {
      if (Smem::kDenseInputs && ((r == 0 && is_top) || (r == kSteps + 1 && is_bottom))) {
#pragma unroll
        for (int i = 0; i < kShiftsPerWarp * kInTiles * 4; ++i) (&a[r % 3][0][0][0])[i] = 0;
        return;
      }
#pragma unroll
      for (int s = 0; s < kShiftsPerWarp; ++s) {
#pragma unroll
        for (int i = 0; i < kInTiles; ++i) {
          ldmatrix_x4_trans(a[r % 3][s][i], in + r * Smem::kPitchIn + s * Smem::kPixelIn + i * 32);
        }
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
      for (int n = 0; n < kOutTiles / 2; ++n) {
        ldmatrix_x4_trans(b[n], out + j * (kIsSmall ? 16 : T.side) * Smem::kPixelOut + n * 32);
      }
#pragma unroll
      for (int dy = 0; dy < 3; ++dy) {
#pragma unroll
        for (int s = 0; s < kShiftsPerWarp; ++s) {
#pragma unroll
          for (int i = 0; i < kInTiles; ++i) {
#pragma unroll
            for (int n = 0; n < kOutTiles; ++n) {
              mma_bf16(sum[s][dy][i][n], a[(kRowsPerStep * j + dy) % 3][s][i],
                       b[n / 2][(n & 1) * 2], b[n / 2][(n & 1) * 2 + 1]);
            }
          }
        }
      }
      if constexpr (HAS_BIAS) {
#pragma unroll
        for (int n = 0; n < kOutTiles; ++n) {
          mma_bf16(bias[n], kOnes, b[n / 2][(n & 1) * 2], b[n / 2][(n & 1) * 2 + 1]);
        }
      }
    }
  }
};

}  // namespace plr::cuda::impala
