// Weight gradients of the IMPALA network's first layer, with respect to the image as bytes, 0..255.
//
// Grid: weight_grad_blocks(0) thread blocks, which loop over tiles of 16 rows of an image.  Block:
// 512 threads, 16 warps.  Shared memory: Conv1Smem, two thread blocks per multiprocessor where they
// fit.  Ownership: a thread block owns every gridDim.x-th tile and one partial sum; a warp owns 16
// columns and four rows of the tile and all weights.  At the end the warps are added in order.
//
// Pixels, gradients after the pool and the pool's argmax are copied as they are, then expanded in
// shared memory: gradients to before the pool, pixels to four bf16.  The four pixels of a window's
// row are consecutive; ldmatrix needs addresses that are multiples of 16 bytes, so that odd pixels
// read a second copy, shifted by one pixel.
//
// Copies is a policy (common/copies.cuh): BulkCopies on Hopper, AsyncCopies on any GPU.
#pragma once

#include <cuda_runtime.h>

#include "plr/learn/cuda/common/copies.cuh"
#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/impala/buffers.h"
#include "plr/learn/cuda/impala/image.cuh"
#include "plr/learn/cuda/impala/kernels.h"
#include "plr/learn/cuda/impala/max_pool.cuh"
#include "plr/learn/cuda/impala/weight_grad_warp.cuh"

namespace plr::cuda::impala {

inline constexpr int kConv1Threads = 512;

// Two expanded copies of the pixels, expanded gradients, then the raw arrays.
template <class Pixel, class Copies>
struct Conv1Smem {
  static constexpr int kThreads = kConv1Threads;
  static constexpr int kRows = 16;
  static constexpr int kTilesPerImage = 64 / kRows;
  static constexpr int kCopy = (kRows + 2) * kImagePitch;
  static_assert(kCopy % 128 == 64, "the two copies must be in different banks");
  static constexpr int kGradients = 2 * kCopy;
  static constexpr int kPixelOut = 48;  // bytes
  static constexpr int kRowBytes = 64 * 3 * static_cast<int>(sizeof(Pixel));
  static constexpr int kRawPixels = kGradients + kRows * 64 * kPixelOut;
  static constexpr int kRawGradients = kRawPixels + (kRows + 2) * kRowBytes;
  static constexpr int kRawArgmax = kRawGradients + (kRows / 2 + 1) * 1024;
  static constexpr int kBarriers = kRawArgmax + (kRows / 2 + 1) * 256;
  static constexpr int kTotal = kBarriers + Copies::kBytes;
};

template <class Pixel, class Copies>
struct Conv1WeightGrad {
  using Smem = Conv1Smem<Pixel, Copies>;
  static constexpr int kLastTile = Smem::kTilesPerImage - 1;  // of an image

  const Pixel* images;
  const std::uint16_t* output_grads;  // after the pool
  const std::uint32_t* argmax;
  const std::uint8_t* shared;
  std::uint32_t memory;
  int thread;
  Copies copies;  // of pixels, gradients and argmax

  // Starts to copy rows -1 .. 16 of the image and pooled rows 0 .. 8, from the tile's first, as far
  // as they exist.
  __device__ void load(int tile) const {
    const int image = tile >> 2;
    const int part = tile & 3;  // of the image
    const int first = part == 0 ? 1 : 0;
    const int num_rows = Smem::kRows + 2 - first - (part == kLastTile ? 1 : 0);
    const int num_pooled = part == kLastTile ? 8 : 9;
    copies.copy(0, memory + Smem::kRawPixels + first * Smem::kRowBytes,
                images + static_cast<std::int64_t>(image) * kImageSize +
                    (part * Smem::kRows - 1 + first) * 192,
                num_rows * Smem::kRowBytes);
    copies.copy(0, memory + Smem::kRawGradients, output_grads + (image * 32 + part * 8) * 512,
                num_pooled * 1024);
    copies.copy(0, memory + Smem::kRawArgmax, argmax + (image * 32 + part * 8) * 64,
                num_pooled * 256);
  }

  // Raw pixels to four bf16, twice.
  __device__ void expand_pixels(int part) const {
    constexpr int kPixels = (Smem::kRows + 2) * 64;
#pragma unroll
    for (int k = 0; k < (kPixels + Smem::kThreads - 1) / Smem::kThreads; ++k) {
      const int i = thread + k * Smem::kThreads;
      if (i >= kPixels) break;
      const int row = i >> 6;
      const int x = i & 63;
      const bool is_inside =
          !(part == 0 && row == 0) && !(part == kLastTile && row == Smem::kRows + 1);
      const auto* from = reinterpret_cast<const Pixel*>(shared + Smem::kRawPixels) + i * 3;
      float c[3];
#pragma unroll
      for (int e = 0; e < 3; ++e) c[e] = is_inside ? to_float(from[e]) : 0.0F;
      const std::uint32_t low = pack_bf16(c[0], c[1]);
      const std::uint32_t high = pack_bf16(c[2], 0.0F);
      const std::uint32_t to = memory + row * kImagePitch + (x + 1) * 8;
      st_shared_v2(to, low, high);
      st_shared_v2(to + Smem::kCopy - 8, low, high);
    }
  }

  // Gradients after the pool to gradients before it.  A thread has one of 8 x 32 pooled pixels and
  // one of two groups of channels.
  __device__ void expand_gradients(int part) const {
    const int group = thread & 1;
    const int x = thread >> 1 & 31;
    const int y = thread >> 6;
    std::uint32_t v[2][2][4];
    std::uint32_t taps[2][2];
#pragma unroll
    for (int a = 0; a < 2; ++a) {
#pragma unroll
      for (int b = 0; b < 2; ++b) {
        const bool is_inside = !(part == kLastTile && y + a == 8) && x + b < 32;
        const int at = is_inside ? ((y + a) * 32 + x + b) * 2 + group : 0;
        taps[a][b] = is_inside ? ld_shared_u32(memory + Smem::kRawArgmax + at * 4) : 0xffffffffU;
        ld_shared_v4(v[a][b], memory + Smem::kRawGradients + at * 16);
      }
    }
    std::uint32_t out[2][2][4];
    max_unpool_quad(out, v, taps);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int pixel = (2 * y + k / 2) * 64 + 2 * x + k % 2;
      st_shared_v4(memory + Smem::kGradients + pixel * Smem::kPixelOut + group * 16,
                   out[k / 2][k % 2]);
    }
  }
};

// Adds the products of one tile: 16 columns and four rows of a warp.  `in`, `out`: this lane's
// ldmatrix addresses.
template <int GRAD_PIXEL>
__device__ void sum_conv1_tile(std::uint32_t in, std::uint32_t out, float (&sum)[3][2][4],
                               float (&bias)[2][4]) {
  constexpr std::uint32_t kOnes[4] = {0x3f803f80U, 0x3f803f80U, 0x3f803f80U, 0x3f803f80U};  // bf16
  std::uint32_t a[3][4];  // row r is in r % 3
  ldmatrix_x4_trans(a[0], in);
  ldmatrix_x4_trans(a[1], in + kImagePitch);
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    ldmatrix_x4_trans(a[(j + 2) % 3], in + (j + 2) * kImagePitch);
    std::uint32_t b[4];
    ldmatrix_x4_trans(b, out + j * 64 * GRAD_PIXEL);
#pragma unroll
    for (int dy = 0; dy < 3; ++dy) {
      mma_bf16(sum[dy][0], a[(j + dy) % 3], b[0], b[1]);
      mma_bf16(sum[dy][1], a[(j + dy) % 3], b[2], b[3]);
    }
    mma_bf16(bias[0], kOnes, b[0], b[1]);
    mma_bf16(bias[1], kOnes, b[2], b[3]);
  }
}

// Adds the sums of all warps in order, in shared memory, and writes the partial sum.
template <int THREADS>
__device__ void reduce_and_store_conv1(const float (&sum)[3][2][4], const float (&bias)[2][4],
                                       float* sums, float* partial) {
  const int thread = static_cast<int>(threadIdx.x);
  const int g = (thread & 31) >> 2;
  const int q = thread & 3;
  __syncthreads();
#pragma unroll 1
  for (int warp = 0; warp < THREADS / 32; ++warp) {
    if (thread >> 5 == warp) {
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const int at = n * 8 + 2 * q;
#pragma unroll
        for (int dy = 0; dy < 3; ++dy) {
          const float (&v)[4] = sum[dy][n];
          add_pair(sums + (dy * 16 + g) * 16 + at, warp == 0, v[0], v[1]);
          add_pair(sums + (dy * 16 + g + 8) * 16 + at, warp == 0, v[2], v[3]);
        }
        if (g == 0) add_pair(sums + 48 * 16 + at, warp == 0, bias[n][0], bias[n][1]);
      }
    }
    __syncthreads();
  }
  for (int i = thread; i < weight_grad_size(kStage1); i += THREADS) partial[i] = sums[i];
}

template <class Pixel, class Copies>
__global__ void __launch_bounds__(kConv1Threads, 2)
    conv1_weight_grad(const Pixel* __restrict__ images,
                      const std::uint16_t* __restrict__ output_grads,
                      const std::uint32_t* __restrict__ argmax, float* __restrict__ partials,
                      int batch) {
  using Smem = Conv1Smem<Pixel, Copies>;
  extern __shared__ __align__(128) std::uint8_t shared[];
  const std::uint32_t memory = shared_address(shared);
  const int thread = static_cast<int>(threadIdx.x);
  const Copies copies(memory + Smem::kBarriers, thread);
  const Conv1WeightGrad<Pixel, Copies> w{images, output_grads, argmax, shared,
                                         memory, thread,       copies};
  const int num_tiles = batch * Smem::kTilesPerImage;
  const int stride = static_cast<int>(gridDim.x);
  const int lane = thread & 31;
  const int warp = thread >> 5;
  copies.init();
  if (static_cast<int>(blockIdx.x) < num_tiles) w.load(static_cast<int>(blockIdx.x));
  for (int i = thread; i < Smem::kGradients / 8; i += Smem::kThreads) {
    st_shared_v2(memory + i * 8, 0, 0);  // stays zero beside the image
  }
  const int column = (warp & 3) * 16;
  const int row = (warp >> 2) * 4;
  const int in_x = column + (lane & 7) + ((lane >> 4) & 1) * 8;
  const int out_x = column + (lane & 7) + ((lane >> 3) & 1) * 8;
  const std::uint32_t in = memory + (in_x & 1) * Smem::kCopy + row * kImagePitch + (in_x & ~1) * 8 +
                           ((lane >> 3) & 1) * 16;
  const std::uint32_t out =
      memory + Smem::kGradients + (row * 64 + out_x) * Smem::kPixelOut + ((lane >> 4) & 1) * 16;
  float sum[3][2][4] = {};
  float bias[2][4] = {};
  int phase = 0;
  for (int tile = static_cast<int>(blockIdx.x); tile < num_tiles; tile += stride, phase ^= 1) {
    copies.before_barrier();
    __syncthreads();  // the last tile has been read
    copies.wait(0, phase);
    w.expand_pixels(tile & 3);
    w.expand_gradients(tile & 3);
    __syncthreads();
    if (tile + stride < num_tiles) w.load(tile + stride);
    sum_conv1_tile<Smem::kPixelOut>(in, out, sum, bias);
  }
  reduce_and_store_conv1<Smem::kThreads>(sum, bias, reinterpret_cast<float*>(shared),
                                         partials + blockIdx.x * weight_grad_size(kStage1));
}

// Launches the kernel for `batch` images of Pixels, with MAX_SMEM bytes of shared memory at most.
template <class Copies, int MAX_SMEM>
void launch_conv1_kernel(const TrainBuffers& buffers, const Pixels& pixels, int batch,
                         cudaStream_t stream) {
  const auto launch = [&]<class Pixel>(const Pixel* images) {
    constexpr int kBytes = Conv1Smem<Pixel, Copies>::kTotal;
    static_assert(kBytes <= MAX_SMEM);
    auto* kernel = conv1_weight_grad<Pixel, Copies>;
    require(kernel, {.shared_bytes = kBytes, .max_shared_carveout = true});
    kernel<<<static_cast<unsigned>(weight_grad_blocks(kStage1)), kConv1Threads, kBytes, stream>>>(
        images, buffers.output_grads[kStage1], buffers.pool_argmax[0],
        buffers.weight_grad_partials[kStage1], batch);
  };
  if (pixels.are_floats) {
    launch(static_cast<const float*>(pixels.data));
  } else {
    launch(static_cast<const std::uint8_t*>(pixels.data));
  }
  check(cudaGetLastError(), "weight gradients of the IMPALA network's first layer");
}

}  // namespace plr::cuda::impala
