#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/grid_cnn/kernels.h"

namespace plr::cuda::grid_cnn {
namespace {

// Products of two matrices of bf16, [M, K] and [K, N].  A block makes a tile of the result, 64x128
// or 128x64, over its part of K; each of its eight warps 32x32 of that.
//
// Either matrix may lie with K as its rows or as its columns; tensor cores take both.

constexpr int kThreads = 256;

// A step of one of the matrices in shared memory: as it lies in global memory, [SIDE][kStep] or
// [kStep][SIDE], 16 bytes longer a row for the banks' sake.
template <bool K_IS_ROWS, int SIDE>
struct Slab {
  static constexpr int kRows = K_IS_ROWS ? kStep : SIDE;
  static constexpr int kColumns = K_IS_ROWS ? SIDE : kStep;
  static constexpr int kPitch = 2 * kColumns + 16;
  static constexpr int kBytes = kRows * kPitch;

  // Begins to copy; zeros beyond the end of K and of the side.
  static __device__ void load(std::uint32_t to, const __nv_bfloat16* from, std::int64_t pitch,
                              int first_side, int num_sides, int first_k, int end_k) {
    constexpr int kChunks = kColumns / 8;
#pragma unroll
    for (int i = 0; i < kRows * kChunks / kThreads; ++i) {
      const int chunk = i * kThreads + static_cast<int>(threadIdx.x);
      const int row = chunk / kChunks;
      const int column = chunk % kChunks * 8;
      const int k = first_k + (K_IS_ROWS ? row : column);
      const int side = first_side + (K_IS_ROWS ? column : row);
      const bool is_there = k < end_k && side < num_sides;
      const std::int64_t at = K_IS_ROWS ? k * pitch + side : side * pitch + k;
      copy128(to + row * kPitch + column * 2, is_there ? from + at : from, is_there);
    }
  }

  // What this lane gives to load the 16x16 at (side, k): as rows of the left matrix, or as two
  // tiles of columns of the right one.
  static __device__ std::uint32_t left_address(std::uint32_t slab, int side, int lane) {
    return K_IS_ROWS ? slab + (lane % 8 + lane / 16 * 8) * kPitch + (side + lane / 8 % 2 * 8) * 2
                     : slab + (side + lane % 16) * kPitch + lane / 16 * 16;
  }
  static __device__ std::uint32_t right_address(std::uint32_t slab, int side, int lane) {
    return K_IS_ROWS ? slab + lane % 16 * kPitch + (side + lane / 16 * 8) * 2
                     : slab + (side + lane % 8 + lane / 16 * 8) * kPitch + lane / 8 % 2 * 16;
  }
  static __device__ void load_16x16(std::uint32_t (&a)[4], std::uint32_t address, int k) {
    if constexpr (K_IS_ROWS) {
      load_transposed(a, address + k * kPitch);
    } else {
      load_matrix(a, address + k * 2);
    }
  }
};

struct Factor {
  const __nv_bfloat16* at;
  std::int64_t pitch;
};

struct Sizes {
  int m, n, k;
  int steps_of_part;  // of kStep
};

// Where a block's tile begins in the result, and a warp's 32x32 in the tile.
struct Corner {
  int m, n;
  int warp_m, warp_n;
};

// Calls at(m, n, two results side by side), counted from the warp's corner.
template <class At>
__device__ void for_each_pair(const float (&sum)[2][4][4], At at) {
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      at(8 * i + lane / 4, 8 * j + lane % 4 * 2, sum[i / 2][j][i % 2 * 2],
         sum[i / 2][j][i % 2 * 2 + 1]);
    }
  }
}

// Keeps a block's part of the sums: [parts][m][n].
struct KeepPart {
  float* parts;

  __device__ void operator()(const float (&sum)[2][4][4], const Corner& corner, const Sizes& size,
                             char*) const {
    float* part = parts + static_cast<std::int64_t>(blockIdx.z) * size.m * size.n;
    for_each_pair(sum, [&](int m, int n, float x, float y) {
      m += corner.m + corner.warp_m;
      n += corner.n + corner.warp_n;
      if (m >= size.m || n >= size.n) return;
      *reinterpret_cast<float2*>(part + static_cast<std::int64_t>(m) * size.n + n) = {x, y};
    });
  }
};

// Keeps gradients where ReLU let something through: [m][n] in bf16, written 16 bytes at a time, as
// a tile of 64x128 that is first put together in shared memory.
struct KeepWhereSeen {
  const __nv_bfloat16* features;
  __nv_bfloat16* grads;

  __device__ void operator()(const float (&sum)[2][4][4], const Corner& corner, const Sizes& size,
                             char* memory) const {
    constexpr int kPitch = 2 * 128 + 16;
    __syncthreads();  // the factors are no longer needed
    for_each_pair(sum, [&](int m, int n, float x, float y) {
      *reinterpret_cast<std::uint32_t*>(memory + (corner.warp_m + m) * kPitch +
                                        (corner.warp_n + n) * 2) = pack_bf16(x, y);
    });
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 64 * 16 / kThreads; ++i) {
      const int chunk = i * kThreads + static_cast<int>(threadIdx.x);
      const int m = corner.m + chunk / 16;
      const int n = corner.n + chunk % 16 * 8;
      if (m >= size.m || n >= size.n) continue;
      const std::int64_t at = static_cast<std::int64_t>(m) * size.n + n;
      uint4 grad = *reinterpret_cast<const uint4*>(memory + chunk / 16 * kPitch + chunk % 16 * 16);
      const uint4 seen = *reinterpret_cast<const uint4*>(features + at);
      grad = {where_seen(grad.x, seen.x), where_seen(grad.y, seen.y), where_seen(grad.z, seen.z),
              where_seen(grad.w, seen.w)};
      *reinterpret_cast<uint4*>(grads + at) = grad;
    }
  }
};

// STAGES: steps of K in shared memory, of which one is multiplied while the others are on their
// way; BLOCKS: that a multiprocessor should have room for.
template <int M_TILE, bool LEFT_K_IS_ROWS, bool RIGHT_K_IS_ROWS, int STAGES, int BLOCKS, class Put>
__global__ void __launch_bounds__(kThreads, BLOCKS)
    multiply(Factor left, Factor right, Sizes size, Put put) {
  constexpr int kNTile = 64 * 128 / M_TILE;
  using Left = Slab<LEFT_K_IS_ROWS, M_TILE>;
  using Right = Slab<RIGHT_K_IS_ROWS, kNTile>;
  constexpr int kStageBytes = Left::kBytes + Right::kBytes;
  extern __shared__ uint4 aligned_memory[];
  const std::uint32_t memory = shared_address(aligned_memory);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int first_m = static_cast<int>(blockIdx.y) * M_TILE;
  const int first_n = static_cast<int>(blockIdx.x) * kNTile;
  const int first_k = static_cast<int>(blockIdx.z) * size.steps_of_part * kStep;
  const int end_k = min(size.k, first_k + size.steps_of_part * kStep);
  const int steps = (end_k - first_k + kStep - 1) / kStep;
  const int warp_m = warp % (M_TILE / 32) * 32;
  const int warp_n = warp / (M_TILE / 32) * 32;

  const auto load = [&](int step) {
    if (step < steps) {
      const std::uint32_t to = memory + step % STAGES * kStageBytes;
      const int k = first_k + step * kStep;
      Left::load(to, left.at, left.pitch, first_m, size.m, k, end_k);
      Right::load(to + Left::kBytes, right.at, right.pitch, first_n, size.n, k, end_k);
    }
    end_of_group();
  };
  float sum[2][4][4] = {};
#pragma unroll
  for (int step = 0; step < STAGES - 1; ++step) load(step);
  for (int step = 0; step < steps; ++step) {
    wait_for_groups_but<STAGES - 2>();
    __syncthreads();  // all have arrived for all, and nobody reads what is loaded next
    load(step + STAGES - 1);
    const std::uint32_t slab = memory + step % STAGES * kStageBytes;
#pragma unroll
    for (int k = 0; k < kStep; k += 16) {
      std::uint32_t a[2][4], b[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        Left::load_16x16(a[i], Left::left_address(slab, warp_m + 16 * i, lane), k);
        Right::load_16x16(b[i], Right::right_address(slab + Left::kBytes, warp_n + 16 * i, lane),
                          k);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j)
          mma(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
  put(sum, Corner{first_m, first_n, warp_m, warp_n}, size, reinterpret_cast<char*>(aligned_memory));
}

template <int M_TILE, bool LEFT_K_IS_ROWS, bool RIGHT_K_IS_ROWS, int STAGES, int BLOCKS, class Put>
void order(Factor left, Factor right, int m, int n, int k, int parts, Put put, void* stream) {
  constexpr int kNTile = 64 * 128 / M_TILE;
  constexpr int kStageBytes =
      Slab<LEFT_K_IS_ROWS, M_TILE>::kBytes + Slab<RIGHT_K_IS_ROWS, kNTile>::kBytes;
  static_assert(STAGES * kStageBytes <= kBlockBytes);
  const int steps = ((k + kStep - 1) / kStep + parts - 1) / parts;
  const int bytes = std::min(STAGES, steps) * kStageBytes;  // what is used of it
  const auto kernel = multiply<M_TILE, LEFT_K_IS_ROWS, RIGHT_K_IS_ROWS, STAGES, BLOCKS, Put>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  const dim3 blocks(static_cast<unsigned>((n + kNTile - 1) / kNTile),
                    static_cast<unsigned>((m + M_TILE - 1) / M_TILE), static_cast<unsigned>(parts));
  kernel<<<blocks, kThreads, bytes, static_cast<cudaStream_t>(stream)>>>(left, right,
                                                                         {m, n, k, steps}, put);
}

}  // namespace

void launch_hidden_forward(const TrainPass& pass, const SavedActivations& saved, void* stream) {
  const int features = pass.shape.num_features();
  order<64, false, false, 4, 2>({saved.features, features}, {saved.hidden, features}, pass.batch,
                                kUnits, features, unit_parts(pass.batch, features),
                                KeepPart{saved.unit_parts}, stream);
}

void launch_hidden_backward(const TrainPass& pass, const SavedActivations& saved,
                            const BackwardScratch& scratch, void* stream) {
  const int features = pass.shape.num_features();
  order<64, false, true, 3, 3>({scratch.units_grad, kUnits}, {saved.hidden, features}, pass.batch,
                               features, kUnits, 1,
                               KeepWhereSeen{saved.features, scratch.features_grad}, stream);
  order<128, true, true, 4, 2>({scratch.units_grad, kUnits}, {saved.features, features}, kUnits,
                               features, pass.batch, hidden_parts(pass.batch, features),
                               KeepPart{scratch.hidden_parts}, stream);
}

}  // namespace plr::cuda::grid_cnn
