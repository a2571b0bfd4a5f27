// Weight gradients of one layer on every GPU since Ampere: tiles are copied with cp.async.
//
// Two stages in shared memory: while one tile is multiplied, the next one arrives.  Pixels are not
// padded, so that two tiles fit; their chunks of 16 bytes are permuted instead, so that the eight
// pixels of a matrix that ldmatrix reads are in different banks.
//
// Sums are taken in the same order as on Hopper.  Where a tile is too large, thread blocks share
// the layer's outputs.
#pragma once

#include "plr/learn/cuda/impala/variant.h"
#include "plr/learn/cuda/impala/weight_grad_warp.cuh"

namespace plr::cuda::impala::portable {

// The offset of 16-byte chunk c of pixel x in a row of pixels of CHUNKS chunks, 2 or 4.
template <int CHUNKS>
__device__ inline int chunk_offset(int x, int c) {
  const int permuted = c ^ (CHUNKS == 2 ? x >> 2 & 1 : x >> 1 & 3);
  return (x * CHUNKS + permuted) * 16;
}

template <WeightGradTile T>
struct WeightGradSmem {
  static constexpr int kInChunks = T.inputs / 8;  // of a pixel
  static constexpr int kOutChunks = T.outputs / 8;
  static constexpr int kPitchIn = (T.side + 2) * kInChunks * 16;
  static constexpr int kPitchOut = T.side * kOutChunks * 16;
  static constexpr int kImageIn = (T.rows + 2) * kPitchIn;
  static constexpr int kImageOut = T.rows * kPitchOut;
  static constexpr int kGradients = T.images * kImageIn;
  static constexpr int kStage = kGradients + T.images * kImageOut;
  static constexpr int kSums = WeightGradWarp<T>::kSums;
  static constexpr int kTotal = 2 * kStage > kSums ? 2 * kStage : kSums;
  static_assert(kTotal <= kMaxPortableSmem, "more shared memory than an Ada has");
};

// LAYER_OUTPUTS: those of the layer, of which the tile has T.outputs, from first_output on.
template <WeightGradTile T, int LAYER_OUTPUTS>
struct WeightGrad : WeightGradWarp<T> {
  using Warp = WeightGradWarp<T>;
  using Smem = WeightGradSmem<T>;
  using typename Warp::Sums;

  const std::uint16_t* inputs;
  const std::uint16_t* output_grads;
  int batch;
  int first_output;
  std::uint32_t memory;
  // This lane's ldmatrix offsets in a stage.
  std::uint32_t in_lane[Warp::kShiftsPerWarp][Warp::kInTiles];
  std::uint32_t out_lane[Warp::kOutTiles / 2];

  __device__ WeightGrad(const std::uint16_t* layer_inputs, const std::uint16_t* layer_output_grads,
                        int num_images, int output, std::uint32_t shared)
      : inputs(layer_inputs),
        output_grads(layer_output_grads),
        batch(num_images),
        first_output(output),
        memory(shared) {
#pragma unroll
    for (int s = 0; s < Warp::kShiftsPerWarp; ++s) {
#pragma unroll
      for (int i = 0; i < Warp::kInTiles; ++i) {
        in_lane[s][i] = this->image * Smem::kImageIn + this->in_row * Smem::kPitchIn +
                        chunk_offset<Smem::kInChunks>(this->in_x + s, 2 * i + this->in_half);
      }
    }
#pragma unroll
    for (int n = 0; n < Warp::kOutTiles / 2; ++n) {
      out_lane[n] = Smem::kGradients + this->image * Smem::kImageOut +
                    chunk_offset<Smem::kOutChunks>(this->out_pixel, 2 * n + this->out_half);
    }
  }

  // Starts to copy a tile; called by all threads.  Rows and images that do not exist become zero.
  __device__ void load(int tile, int stage) const {
    constexpr int kInRow = T.side * Smem::kInChunks;  // chunks of a row
    constexpr int kOutRow = T.side * Smem::kOutChunks;
    constexpr int kRows = T.rows + 2;
    const int first_image = Warp::tile_image(tile);
    const int first_row = Warp::tile_row(tile);
    const std::uint32_t to = memory + stage * Smem::kStage;
#pragma unroll
    for (int i = static_cast<int>(threadIdx.x); i < T.images * kRows * kInRow;
         i += Warp::kThreads) {
      const int row = i / kInRow % kRows;
      const int image = i / kInRow / kRows;
      const int x = i % kInRow / Smem::kInChunks;
      const int y = first_row + row - 1;
      const bool is_inside = y >= 0 && y < T.side && first_image + image < batch;
      const int from = ((first_image + image) * T.side + y) * (T.side * T.inputs) + i % kInRow * 8;
      cp_async_16(to + image * Smem::kImageIn + row * Smem::kPitchIn +
                      chunk_offset<Smem::kInChunks>(x + 1, i % Smem::kInChunks),
                  inputs + (is_inside ? from : 0), is_inside);
    }
#pragma unroll
    for (int i = static_cast<int>(threadIdx.x); i < T.images * T.rows * kOutRow;
         i += Warp::kThreads) {
      const int pixel = i / Smem::kOutChunks % (T.rows * T.side);
      const int image = i / kOutRow / T.rows;
      const int chunk = i % Smem::kOutChunks;
      const bool is_inside = first_image + image < batch;
      const int from =
          (((first_image + image) * T.side + first_row) * T.side + pixel) * LAYER_OUTPUTS +
          first_output + chunk * 8;
      cp_async_16(to + Smem::kGradients + image * Smem::kImageOut +
                      chunk_offset<Smem::kOutChunks>(pixel, chunk),
                  output_grads + (is_inside ? from : 0), is_inside);
    }
  }

  // Zeroes the pixels beside the images in both stages, which copies do not write.
  __device__ void zero_sides() const {
    constexpr int kChunks = 2 * Smem::kInChunks;  // of a row
    for (int i = static_cast<int>(threadIdx.x); i < 2 * T.images * (T.rows + 2) * kChunks;
         i += Warp::kThreads) {
      const int row = i / kChunks % (T.images * (T.rows + 2));
      const int stage = i / kChunks / (T.images * (T.rows + 2));
      const int chunk = i % kChunks;
      const int x = chunk < Smem::kInChunks ? 0 : T.side + 1;
      st_shared_zeros_16(memory + stage * Smem::kStage + row * Smem::kPitchIn +
                         (x * Smem::kInChunks + chunk % Smem::kInChunks) * 16);
    }
  }

  // Sums over all tiles of the thread block.  HAS_BIAS as in weight_grad.cuh.
  template <bool HAS_BIAS>
  __device__ void sum_tiles(Sums& sums) const {
    const int stride = static_cast<int>(gridDim.x);
    const int num_tiles = Warp::num_tiles(batch);
    int stage = 0;
    for (int tile = static_cast<int>(blockIdx.x); tile < num_tiles; tile += stride, stage ^= 1) {
      cp_async_wait_all();
      __syncthreads();  // this tile has arrived, and the last one has been read
      if (tile + stride < num_tiles) load(tile + stride, stage ^ 1);
      const std::uint32_t at = memory + stage * Smem::kStage;
      Warp::template sum_tile<HAS_BIAS>(
          [&](int r, int s, int i) { return at + in_lane[s][i] + r * Smem::kPitchIn; },
          [&](int j, int n) {
            return at + out_lane[n] + j * Warp::kStepPixels * Smem::kOutChunks * 16;
          },
          false, false, sums);
    }
  }
};

}  // namespace plr::cuda::impala::portable
