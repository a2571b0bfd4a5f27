// Matrix products of the grid CNN's hidden layers: [M, K] times [K, N] in bf16, sums in fp32.
//
//   forward            features x hidden weights          -> partial sums of the units
//   input gradients    units' gradients x hidden weights  -> features' gradients, masked by ReLU
//   weight gradients   units' gradients x features        -> partial sums of the weights' gradients
//
// Grid: (tiles of N, tiles of M, partial sums over K); block: 256 threads, 8 warps.
// Shared memory: STAGES steps of 64 along K of both operands, of which one is multiplied while the
// others are copied (cp.async).
// Ownership: a thread block owns a tile of the result, 64x128 or 128x64, over its part of K; a warp
// owns 32x32 of the tile.
//
// Either operand may be stored with K as its rows or as its columns; ldmatrix transposes as needed.

#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/grid_cnn/kernels.h"

namespace plr::cuda::grid_cnn {
namespace {

constexpr int kThreads = 256;

// One stage of an operand in shared memory, [SIDE][kGemmStep] or [kGemmStep][SIDE] as in global
// memory, with 16 bytes of padding per row against bank conflicts.  SIDE is a tile's M or N.
template <bool K_IS_ROWS, int SIDE>
struct SmemTile {
  static constexpr int kRows = K_IS_ROWS ? kGemmStep : SIDE;
  static constexpr int kColumns = K_IS_ROWS ? SIDE : kGemmStep;
  static constexpr int kPitch = 2 * kColumns + 16;
  static constexpr int kBytes = kRows * kPitch;

  // Starts to copy; zeros beyond the end of K and of the side.
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
      const bool is_inside = k < end_k && side < num_sides;
      const std::int64_t at = K_IS_ROWS ? k * pitch + side : side * pitch + k;
      cp_async_16(to + row * kPitch + column * 2, is_inside ? from + at : from, is_inside);
    }
  }

  // This lane's address for an ldmatrix of the 16x16 at (side, 0): as the left operand's fragment,
  // or as two n-tiles of the right operand's.
  static __device__ std::uint32_t left_address(std::uint32_t stage, int side, int lane) {
    return K_IS_ROWS ? stage + (lane % 8 + lane / 16 * 8) * kPitch + (side + lane / 8 % 2 * 8) * 2
                     : stage + (side + lane % 16) * kPitch + lane / 16 * 16;
  }
  static __device__ std::uint32_t right_address(std::uint32_t stage, int side, int lane) {
    return K_IS_ROWS ? stage + lane % 16 * kPitch + (side + lane / 16 * 8) * 2
                     : stage + (side + lane % 8 + lane / 16 * 8) * kPitch + lane / 8 % 2 * 16;
  }
  static __device__ void load_16x16(std::uint32_t (&a)[4], std::uint32_t address, int k) {
    if constexpr (K_IS_ROWS) {
      ldmatrix_x4_trans(a, address + k * kPitch);
    } else {
      ldmatrix_x4(a, address + k * 2);
    }
  }
};

// A matrix in global memory and its row pitch, in numbers.
struct Operand {
  const __nv_bfloat16* data;
  std::int64_t pitch;
};

struct MatrixSizes {
  int m, n, k;
};

struct GemmShape {
  int m, n, k;
  int steps_per_partial;  // of kGemmStep
};

// Where a thread block's tile begins in the result, and a warp's 32x32 in the tile.
struct TileOrigin {
  int m, n;
  int warp_m, warp_n;
};

// Calls at(m, n, two consecutive results) for this lane's results, relative to the warp's 32x32.
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

// Epilogue: stores a thread block's partial sum, [partials][m][n].
struct StorePartial {
  float* partials;

  __device__ void operator()(const float (&sum)[2][4][4], const TileOrigin& origin,
                             const GemmShape& size, char*) const {
    float* partial = partials + static_cast<std::int64_t>(blockIdx.z) * size.m * size.n;
    for_each_pair(sum, [&](int m, int n, float x, float y) {
      m += origin.m + origin.warp_m;
      n += origin.n + origin.warp_n;
      if (m >= size.m || n >= size.n) return;
      *reinterpret_cast<float2*>(partial + static_cast<std::int64_t>(m) * size.n + n) = {x, y};
    });
  }
};

// Keeps gradients where ReLU let something through: [m][n] in bf16, written 16 bytes at a time, as
// a tile of 64x128 that is first epilogue together in shared memory.
struct StoreReluGrad {
  const __nv_bfloat16* features;
  __nv_bfloat16* grads;

  __device__ void operator()(const float (&sum)[2][4][4], const TileOrigin& origin,
                             const GemmShape& size, char* memory) const {
    constexpr int kPitch = 2 * 128 + 16;
    __syncthreads();  // the operands have been read
    for_each_pair(sum, [&](int m, int n, float x, float y) {
      *reinterpret_cast<std::uint32_t*>(memory + (origin.warp_m + m) * kPitch +
                                        (origin.warp_n + n) * 2) = pack_bf16(x, y);
    });
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 64 * 16 / kThreads; ++i) {
      const int chunk = i * kThreads + static_cast<int>(threadIdx.x);
      const int m = origin.m + chunk / 16;
      const int n = origin.n + chunk % 16 * 8;
      if (m >= size.m || n >= size.n) continue;
      const std::int64_t at = static_cast<std::int64_t>(m) * size.n + n;
      uint4 grad = *reinterpret_cast<const uint4*>(memory + chunk / 16 * kPitch + chunk % 16 * 16);
      const uint4 activation = *reinterpret_cast<const uint4*>(features + at);
      grad = {mask_by_relu(grad.x, activation.x), mask_by_relu(grad.y, activation.y),
              mask_by_relu(grad.z, activation.z), mask_by_relu(grad.w, activation.w)};
      *reinterpret_cast<uint4*>(grads + at) = grad;
    }
  }
};

// How a product is computed.
struct GemmConfig {
  int m_tile;            // of the result: 64 or 128; a tile has 64 * 128 numbers
  bool left_k_is_rows;   // whether K is the row index of the left operand in memory
  bool right_k_is_rows;  // likewise of the right operand
  int stages;            // steps of K in shared memory
  int blocks;            // thread blocks per multiprocessor, at least

  __host__ __device__ constexpr int n_tile() const { return 64 * 128 / m_tile; }
};

template <GemmConfig CONFIG>
struct GemmSmem {
  using Left = SmemTile<CONFIG.left_k_is_rows, CONFIG.m_tile>;
  using Right = SmemTile<CONFIG.right_k_is_rows, CONFIG.n_tile()>;
  static constexpr int kStageBytes = Left::kBytes + Right::kBytes;
  static_assert(CONFIG.stages * kStageBytes <= kBlockBytes);
};

// Product::kConfig is the configuration; nvcc takes no class-type value as a kernel's own template
// parameter.  epilogue(sum, origin, size, shared memory) stores a warp's 32x32 results.
template <class Product, class Epilogue>
__global__ void __launch_bounds__(kThreads, Product::kConfig.blocks)
    gemm_bf16(Operand left, Operand right, GemmShape size, Epilogue epilogue) {
  constexpr GemmConfig kConfig = Product::kConfig;
  using Left = typename GemmSmem<kConfig>::Left;
  using Right = typename GemmSmem<kConfig>::Right;
  constexpr int kStageBytes = GemmSmem<kConfig>::kStageBytes;
  constexpr int kMTile = kConfig.m_tile;
  constexpr int kNTile = kConfig.n_tile();
  extern __shared__ uint4 aligned_memory[];
  const std::uint32_t memory = shared_address(aligned_memory);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int first_m = static_cast<int>(blockIdx.y) * kMTile;
  const int first_n = static_cast<int>(blockIdx.x) * kNTile;
  const int first_k = static_cast<int>(blockIdx.z) * size.steps_per_partial * kGemmStep;
  const int end_k = min(size.k, first_k + size.steps_per_partial * kGemmStep);
  const int steps = (end_k - first_k + kGemmStep - 1) / kGemmStep;
  const int warp_m = warp % (kMTile / 32) * 32;
  const int warp_n = warp / (kMTile / 32) * 32;

  const auto load = [&](int step) {
    if (step < steps) {
      const std::uint32_t to = memory + step % kConfig.stages * kStageBytes;
      const int k = first_k + step * kGemmStep;
      Left::load(to, left.data, left.pitch, first_m, size.m, k, end_k);
      Right::load(to + Left::kBytes, right.data, right.pitch, first_n, size.n, k, end_k);
    }
    cp_async_commit();
  };
  float sum[2][4][4] = {};
#pragma unroll
  for (int step = 0; step < kConfig.stages - 1; ++step) load(step);
  for (int step = 0; step < steps; ++step) {
    cp_async_wait<kConfig.stages - 2>();
    __syncthreads();  // this stage has arrived, and the one loaded next has been read
    load(step + kConfig.stages - 1);
    const std::uint32_t stage = memory + step % kConfig.stages * kStageBytes;
#pragma unroll
    for (int k = 0; k < kGemmStep; k += 16) {
      std::uint32_t a[2][4], b[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        Left::load_16x16(a[i], Left::left_address(stage, warp_m + 16 * i, lane), k);
        Right::load_16x16(b[i], Right::right_address(stage + Left::kBytes, warp_n + 16 * i, lane),
                          k);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j)
          mma_bf16(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
  epilogue(sum, TileOrigin{first_m, first_n, warp_m, warp_n}, size,
           reinterpret_cast<char*>(aligned_memory));
}

// Enqueues a product of size m x n x k, as `num_partials` sums over parts of K.
template <class Product, class Epilogue>
void launch_gemm(Operand left, Operand right, const MatrixSizes& sizes, int num_partials,
                 Epilogue epilogue, void* stream) {
  constexpr GemmConfig kConfig = Product::kConfig;
  const auto [m, n, k] = sizes;
  const int steps = ((k + kGemmStep - 1) / kGemmStep + num_partials - 1) / num_partials;
  const int bytes = std::min(kConfig.stages, steps) * GemmSmem<kConfig>::kStageBytes;  // in use
  const auto kernel = gemm_bf16<Product, Epilogue>;
  require(kernel, {.shared_bytes = bytes});
  const dim3 blocks(static_cast<unsigned>((n + kConfig.n_tile() - 1) / kConfig.n_tile()),
                    static_cast<unsigned>((m + kConfig.m_tile - 1) / kConfig.m_tile),
                    static_cast<unsigned>(num_partials));
  kernel<<<blocks, kThreads, bytes, static_cast<cudaStream_t>(stream)>>>(
      left, right, {m, n, k, steps}, epilogue);
}

struct ForwardProduct {
  static constexpr GemmConfig kConfig = {
      .m_tile = 64, .left_k_is_rows = false, .right_k_is_rows = false, .stages = 4, .blocks = 2};
};
struct InputGradProduct {
  static constexpr GemmConfig kConfig = {
      .m_tile = 64, .left_k_is_rows = false, .right_k_is_rows = true, .stages = 3, .blocks = 3};
};
struct WeightGradProduct {
  static constexpr GemmConfig kConfig = {
      .m_tile = 128, .left_k_is_rows = true, .right_k_is_rows = true, .stages = 4, .blocks = 2};
};

}  // namespace

void launch_hidden_forward(const TrainPass& pass, const SavedActivations& saved, void* stream) {
  const int features = pass.shape.num_features();
  launch_gemm<ForwardProduct>({saved.features, features}, {saved.hidden_weights, features},
                              {.m = pass.batch, .n = kUnits, .k = features},
                              num_unit_partials(pass.batch, features),
                              StorePartial{saved.unit_partials}, stream);
}

void launch_hidden_backward(const TrainPass& pass, const SavedActivations& saved,
                            const BackwardScratch& scratch, void* stream) {
  const int features = pass.shape.num_features();
  launch_gemm<InputGradProduct>({scratch.units_grad, kUnits}, {saved.hidden_weights, features},
                                {.m = pass.batch, .n = features, .k = kUnits}, 1,
                                StoreReluGrad{saved.features, scratch.features_grad}, stream);
  launch_gemm<WeightGradProduct>({scratch.units_grad, kUnits}, {saved.features, features},
                                 {.m = kUnits, .n = features, .k = pass.batch},
                                 num_hidden_partials(pass.batch, features),
                                 StorePartial{scratch.hidden_partials}, stream);
}

}  // namespace plr::cuda::grid_cnn
