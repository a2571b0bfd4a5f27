// Weight gradients of one layer on Hopper: tiles are copied by the bulk copy engine.
//
// A ring of stages in shared memory holds tiles; a barrier per stage says when a tile has arrived,
// another when all warps have read it, so that warps may drift apart.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/impala/weight_grad_maps.h"
#include "plr/learn/cuda/impala/weight_grad_warp.cuh"

namespace plr::cuda::impala {

// Shared memory of a thread block: stages of inputs and gradients, then barriers.  At the end the
// warps' sums take the place of the stages.
template <WeightGradTile T>
struct WeightGradSmem {
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
  static constexpr int kSums = WeightGradWarp<T>::kSums;
  static constexpr int kBarriers = T.stages * kStage > kSums ? T.stages* kStage : kSums;
  static constexpr int kTotal = kBarriers + T.stages * 16;
  static_assert(T.blocks * (kTotal + 1024) <= 228 * 1024, "more shared memory than a Hopper has");
};

template <WeightGradTile T>
struct WeightGrad : WeightGradWarp<T> {
  using Warp = WeightGradWarp<T>;
  using Smem = WeightGradSmem<T>;
  using typename Warp::Sums;
  using Warp::lane;
  using Warp::warp;
  // A stage is refilled one tile late where there are enough, so that warps may drift apart.
  static constexpr int kLag = T.stages > 2 ? 1 : 0;

  const WeightGradMaps* maps;
  const std::uint16_t* inputs;
  const std::uint16_t* output_grads;
  int num_tiles;
  std::uint32_t memory;
  std::uint32_t in_lane, out_lane;  // this lane's ldmatrix offsets in a stage

  __device__ WeightGrad(const WeightGradMaps* tensor_maps, const std::uint16_t* layer_inputs,
                        const std::uint16_t* layer_output_grads, int batch, std::uint32_t shared)
      : maps(tensor_maps),
        inputs(layer_inputs),
        output_grads(layer_output_grads),
        num_tiles(Warp::num_tiles(batch)),
        memory(shared),
        in_lane(this->image * Smem::kImageIn + this->in_row * Smem::kPitchIn +
                this->in_x * Smem::kPixelIn + this->in_half * 16),
        out_lane(Smem::kGradients + this->image * Smem::kImageOut +
                 this->out_pixel * Smem::kPixelOut + this->out_half * 16) {}

  // ---- copies ----------------------------------------------------------------------------------

  // Complete when a stage's tile has arrived, and when all warps have read it.
  __device__ std::uint32_t full_barrier(int stage) const {
    return memory + Smem::kBarriers + stage * 8;
  }
  __device__ std::uint32_t empty_barrier(int stage) const { return full_barrier(T.stages + stage); }

  // Starts to copy a tile; called by one warp.
  __device__ void load(int tile, int stage) const {
    const int image = Warp::tile_image(tile);
    const int row = Warp::tile_row(tile);
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
        mbarrier_init(empty_barrier(i), Warp::kThreads / 32);
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
      for (int i = static_cast<int>(threadIdx.x); i < kHalves; i += Warp::kThreads) {
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
  __device__ void sum_tiles(Sums& sums) const {
    const int stride = static_cast<int>(gridDim.x);
    int stage = 0;
    int phase = 0;
    int n = 0;
    for (int tile = static_cast<int>(blockIdx.x); tile < num_tiles; tile += stride, ++n) {
      mbarrier_wait(full_barrier(stage), phase);
      const std::uint32_t in = memory + stage * Smem::kStage + in_lane;
      const std::uint32_t out = memory + stage * Smem::kStage + out_lane;
      // Dense rows above and below the image were not copied.
      const int row = Warp::tile_row(tile) + this->first_row;
      Warp::template sum_tile<HAS_BIAS>(
          [=](int r, int s, int i) {
            return in + r * Smem::kPitchIn + s * Smem::kPixelIn + i * 32;
          },
          [=](int j, int n) { return out + j * Warp::kStepPixels * Smem::kPixelOut + n * 32; },
          Smem::kDenseInputs && row == 0, Smem::kDenseInputs && row + Warp::kSteps == T.side, sums);
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
};

}  // namespace plr::cuda::impala
