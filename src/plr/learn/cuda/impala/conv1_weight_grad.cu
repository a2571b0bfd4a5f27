#include <cuda_runtime.h>

#include "plr/learn/cuda/impala/image.cuh"
#include "plr/learn/cuda/impala/kernels.h"
#include "plr/learn/cuda/impala/max_pool.cuh"
#include "plr/learn/cuda/impala/weight_grad.cuh"

namespace plr::cuda::impala {
namespace {

// The gradient of the first layer's weights, with respect to the image as it is, 0..255.
//
// A tile is 16 rows of an image.  What was copied raw, pixels, gradients after the pool and places,
// is spread here: gradients to before the pool, pixels to four bf16.  A window's 16 numbers, four
// pixels, lie side by side; matrix loads want multiples of 16 bytes, so that odd pixels read a
// second copy, shifted by one.
template <class Pixel>
struct FirstMemory {
  static constexpr int kThreads = 512;
  static constexpr int kRows = 16;
  static constexpr int kCopy = (kRows + 2) * kImagePitch;
  static_assert(kCopy % 128 == 64, "the two copies must not meet in the banks");
  static constexpr int kGradients = 2 * kCopy;
  static constexpr int kPixelOut = 48;  // bytes
  static constexpr int kRowBytes = 64 * 3 * static_cast<int>(sizeof(Pixel));
  static constexpr int kRawPixels = kGradients + kRows * 64 * kPixelOut;
  static constexpr int kRawGradients = kRawPixels + (kRows + 2) * kRowBytes;
  static constexpr int kRawPlaces = kRawGradients + (kRows / 2 + 1) * 1024;
  static constexpr int kBarrier = kRawPlaces + (kRows / 2 + 1) * 256;
  static constexpr int kTotal = kBarrier + 8;
  static_assert(2 * (kTotal + 1024) <= 228 * 1024, "a Hopper has no more");
};

template <class Pixel>
struct FirstWeigher {
  using M = FirstMemory<Pixel>;

  const Pixel* images;
  const std::uint16_t* gradients;
  const std::uint32_t* places;
  const std::uint8_t* shared;
  std::uint32_t memory;
  int thread;

  // Rows -1 .. 16 of the image and pooled rows 0 .. 8, from the tile's first, as far as they exist.
  __device__ void load(int tile) const {
    const int image = tile >> 2;
    const int band = tile & 3;
    const int first = band == 0 ? 1 : 0;
    const int num_rows = M::kRows + 2 - first - (band == 3 ? 1 : 0);
    const int num_pooled = band == 3 ? 8 : 9;
    const std::uint32_t arrival = memory + M::kBarrier;
    barrier_expect(arrival, num_rows * M::kRowBytes + num_pooled * (1024 + 256));
    bulk_copy(memory + M::kRawPixels + first * M::kRowBytes,
              images + static_cast<std::int64_t>(image) * kImageNumbers +
                  (band * M::kRows - 1 + first) * 192,
              num_rows * M::kRowBytes, arrival);
    bulk_copy(memory + M::kRawGradients, gradients + (image * 32 + band * 8) * 512,
              num_pooled * 1024, arrival);
    bulk_copy(memory + M::kRawPlaces, places + (image * 32 + band * 8) * 64, num_pooled * 256,
              arrival);
  }

  __device__ void spread_pixels(int band) const {
    constexpr int kPixels = (M::kRows + 2) * 64;
#pragma unroll
    for (int k = 0; k < (kPixels + M::kThreads - 1) / M::kThreads; ++k) {
      const int i = thread + k * M::kThreads;
      if (i >= kPixels) break;
      const int row = i >> 6;
      const int x = i & 63;
      const bool is_inside = !(band == 0 && row == 0) && !(band == 3 && row == M::kRows + 1);
      const auto* from = reinterpret_cast<const Pixel*>(shared + M::kRawPixels) + i * 3;
      float c[3];
#pragma unroll
      for (int e = 0; e < 3; ++e) c[e] = is_inside ? number_of(from[e]) : 0.0F;
      const std::uint32_t low = pack_bf16(c[0], c[1]);
      const std::uint32_t high = pack_bf16(c[2], 0.0F);
      const std::uint32_t to = memory + row * kImagePitch + (x + 1) * 8;
      store64(to, low, high);
      store64(to + M::kCopy - 8, low, high);
    }
  }

  // 8 x 32 pooled pixels of two groups of channels, one for each thread.
  __device__ void spread_gradients(int band) const {
    const int group = thread & 1;
    const int x = thread >> 1 & 31;
    const int y = thread >> 6;
    std::uint32_t v[2][2][4];
    std::uint32_t where[2][2];
#pragma unroll
    for (int a = 0; a < 2; ++a) {
#pragma unroll
      for (int b = 0; b < 2; ++b) {
        const bool is_inside = !(band == 3 && y + a == 8) && x + b < 32;
        const int at = is_inside ? ((y + a) * 32 + x + b) * 2 + group : 0;
        where[a][b] = is_inside ? load32(memory + M::kRawPlaces + at * 4) : 0xffffffffU;
        load128(v[a][b], memory + M::kRawGradients + at * 16);
      }
    }
    std::uint32_t out[2][2][4];
    unpool_quad(out, v, where);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int pixel = (2 * y + k / 2) * 64 + 2 * x + k % 2;
      store128(memory + M::kGradients + pixel * M::kPixelOut + group * 16, out[k / 2][k % 2]);
    }
  }
};

template <class Pixel>
__global__ void __launch_bounds__(FirstMemory<Pixel>::kThreads, 2)
    weigh_first(const Pixel* __restrict__ images, const std::uint16_t* __restrict__ gradients,
                const std::uint32_t* __restrict__ places, float* __restrict__ parts, int batch) {
  using M = FirstMemory<Pixel>;
  extern __shared__ __align__(128) std::uint8_t shared[];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread & 31;
  const int warp = thread >> 5;
  const FirstWeigher<Pixel> w{images, gradients, places, shared, shared_address(shared), thread};
  const int num_tiles = batch * 4;
  const int stride = static_cast<int>(gridDim.x);
  if (thread == 0) {
    barrier_init(w.memory + M::kBarrier, 1);
    fence_barriers();
    if (static_cast<int>(blockIdx.x) < num_tiles) w.load(static_cast<int>(blockIdx.x));
  }
  for (int i = thread; i < M::kGradients / 8; i += M::kThreads) {
    store64(w.memory + i * 8, 0, 0);  // beside the image it stays so
  }
  // A warp has 16 columns and four rows.
  const int column = (warp & 3) * 16;
  const int row = (warp >> 2) * 4;
  const int in_x = column + (lane & 7) + ((lane >> 4) & 1) * 8;
  const int out_x = column + (lane & 7) + ((lane >> 3) & 1) * 8;
  const std::uint32_t in = w.memory + (in_x & 1) * M::kCopy + row * kImagePitch + (in_x & ~1) * 8 +
                           ((lane >> 3) & 1) * 16;
  const std::uint32_t out =
      w.memory + M::kGradients + (row * 64 + out_x) * M::kPixelOut + ((lane >> 4) & 1) * 16;
  constexpr std::uint32_t kOnes[4] = {0x3f803f80U, 0x3f803f80U, 0x3f803f80U, 0x3f803f80U};
  float sum[3][2][4] = {};
  float bias[2][4] = {};
  int phase = 0;
  for (int tile = static_cast<int>(blockIdx.x); tile < num_tiles; tile += stride, phase ^= 1) {
    __syncthreads();  // the last tile has been read
    barrier_wait(w.memory + M::kBarrier, phase);
    w.spread_pixels(tile & 3);
    w.spread_gradients(tile & 3);
    __syncthreads();
    if (thread == 0 && tile + stride < num_tiles) w.load(tile + stride);
    std::uint32_t a[3][4];  // row r is in r % 3
    load_transposed(a[0], in);
    load_transposed(a[1], in + kImagePitch);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      load_transposed(a[(j + 2) % 3], in + (j + 2) * kImagePitch);
      std::uint32_t b[4];
      load_transposed(b, out + j * 64 * M::kPixelOut);
#pragma unroll
      for (int dy = 0; dy < 3; ++dy) {
        mma(sum[dy][0], a[(j + dy) % 3], b[0], b[1]);
        mma(sum[dy][1], a[(j + dy) % 3], b[2], b[3]);
      }
      mma(bias[0], kOnes, b[0], b[1]);
      mma(bias[1], kOnes, b[2], b[3]);
    }
  }

  __syncthreads();
  auto* sums = reinterpret_cast<float*>(shared);
  const int g = lane >> 2;
  const int q = lane & 3;
#pragma unroll 1
  for (int turn = 0; turn < M::kThreads / 32; ++turn) {
    if (warp == turn) {
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const int at = n * 8 + 2 * q;
#pragma unroll
        for (int dy = 0; dy < 3; ++dy) {
          const float (&v)[4] = sum[dy][n];
          add_pair(sums + (dy * 16 + g) * 16 + at, turn == 0, v[0], v[1]);
          add_pair(sums + (dy * 16 + g + 8) * 16 + at, turn == 0, v[2], v[3]);
        }
        if (g == 0) add_pair(sums + 48 * 16 + at, turn == 0, bias[n][0], bias[n][1]);
      }
    }
    __syncthreads();
  }
  for (int i = thread; i < sum_size(0); i += M::kThreads) {
    parts[blockIdx.x * sum_size(0) + i] = sums[i];
  }
}

template <class Pixel>
void launch(const TrainBuffers& tape, const void* pixels, int batch, cudaStream_t stream) {
  using M = FirstMemory<Pixel>;
  allow_memory(weigh_first<Pixel>, M::kTotal);
  weigh_first<Pixel><<<static_cast<unsigned>(sum_blocks(0)), M::kThreads, M::kTotal, stream>>>(
      static_cast<const Pixel*>(pixels), tape.gradients[0], tape.places[0], tape.parts[0], batch);
  check(cudaGetLastError(), "weighing the first layer's gradients");
}

}  // namespace

void order_weigh_first(const TrainBuffers& tape, const Pixels& pixels, int batch,
                       cudaStream_t stream) {
  auto* order = pixels.are_floats ? launch<float> : launch<std::uint8_t>;
  order(tape, pixels.data, batch, stream);
}

}  // namespace plr::cuda::impala
