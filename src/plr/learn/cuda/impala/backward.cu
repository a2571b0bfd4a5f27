#include <cuda_runtime.h>

#include "plr/learn/cuda/impala/backward.cuh"
#include "plr/learn/cuda/impala/kernels.h"

namespace plr::cuda::impala {

// 8 x 8 x 32.  Four warps own two rows, 8 channels each.  The features were rectified.
template <bool RELU_SKIP>
__device__ void Backward<RELU_SKIP>::stage3(const std::uint32_t* features,
                                            const std::uint32_t* d_features) const {
  const std::uint32_t A = memory + M::kA3;
  const std::uint32_t B = memory + M::kB3;
  const int y = 2 * (warp >> 2);
  const int tile = warp & 3;
  const std::uint32_t place_of_weights = tile * 256 + lane * 8;
  float x[4];  // two channels of row y, then of row y + 1
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    const int at = image * (kNumFeatures / 2) + ((y + row) * 8 + g) * 16 + tile * 4 + q;
    const std::uint32_t v = d_features[at] & positive_pair(features[at]);
    x[2 * row] = __uint_as_float(v << 16);
    x[2 * row + 1] = __uint_as_float(v & 0xffff0000U);
  }
  store_small_tile<Band3>(A, x, y, tile * 8, false, lane);
  const std::uint32_t place = Band3::offset(y - 1 + (tile_row >> 3), (tile_row & 7) - 1) + half;
  fence_copies();
  __syncthreads();  // barriers are ready, too
  send<Band3>(14, A);
  std::uint32_t b[18][2];
  load_weights(b, acquire(14) + place_of_weights, 1024);
#pragma unroll 1
  for (int block = 1; block >= 0; --block) {
    const int l = 12 + 2 * block;
    const std::uint32_t positive2 = mask<std::uint8_t>(l);
    const std::uint32_t positive1 = mask<std::uint8_t>(l - 1);
    float h[4] = {};
    conv_small<Band3>(h, A + place, b, [] {});
    keep_positive<4>(h, positive2);
    load_weights(b, acquire(l - 1) + place_of_weights, 1024);
    store_small_tile<Band3>(B, h, y, tile * 8, false, lane);
    finish(l);
    send<Band3>(l - 1, B);
    float change[4] = {};
    conv_small<Band3>(change, B + place, b, [] {});
    add_change<4>(x, change, positive1);
    if (block == 1) load_weights(b, acquire(l - 2) + place_of_weights, 1024);
    store_small_tile<Band3>(A, x, y, tile * 8, false, lane);
    finish(l - 1);
    if (block == 1) send<Band3>(l - 2, A);
  }
  barrier_wait(barrier(M::kSlots), 0);
  unpool<Band3, Band2>(10, A, memory + M::kWide3, memory + M::kPlaces3);
}

// 16 x 16 x 32.  Two warps own two rows, 16 channels each.
template <bool RELU_SKIP>
__device__ void Backward<RELU_SKIP>::stage2() const {
  const std::uint32_t A = memory + M::kA2;
  const std::uint32_t B = memory + M::kB2;
  const int y = 2 * (warp >> 1);
  const int part = warp & 1;
  const std::uint32_t place = Band2::offset(y - 1, tile_row - 1) + half;
  const std::uint32_t place_of_weights = part * 512 + lane * 16;
  float x[2][1][2][4] = {};
  std::uint32_t b[18][4];
  load_weights(b, acquire(10) + place_of_weights, 1024);
  conv_rows<Band2>(x, memory + M::kWide3 + place, b, [] {});
  load_weights(b, acquire(9) + place_of_weights, 1024);
  store_tile<Band2>(A, x, y, part * 16, false, lane);
  finish(10);
  send<Band2>(9, A);
#pragma unroll 1
  for (int block = 1; block >= 0; --block) {
    const int l = 7 + 2 * block;
    const std::uint32_t positive2 = mask<std::uint16_t>(l);
    const std::uint32_t positive1 = mask<std::uint16_t>(l - 1);
    float h[2][1][2][4] = {};
    conv_rows<Band2>(h, A + place, b, [] {});
    keep_positive<16>(&h[0][0][0][0], positive2);
    load_weights(b, acquire(l - 1) + place_of_weights, 1024);
    store_tile<Band2>(B, h, y, part * 16, false, lane);
    finish(l);
    send<Band2>(l - 1, B);
    float change[2][1][2][4] = {};
    conv_rows<Band2>(change, B + place, b, [] {});
    add_change<16>(&x[0][0][0][0], &change[0][0][0][0], positive1);
    if (block == 1) load_weights(b, acquire(l - 2) + place_of_weights, 1024);
    store_tile<Band2>(A, x, y, part * 16, false, lane);
    finish(l - 1);
    if (block == 1) send<Band2>(l - 2, A);
  }
  unpool<Band2, Wide2>(5, A, memory + M::kWide2, memory + M::kPlaces2);
}

// 32 x 32 x 16.  A warp owns four rows of 16 pixels, all channels.
template <bool RELU_SKIP>
__device__ void Backward<RELU_SKIP>::stage1() const {
  const std::uint32_t A = memory + M::kA1;
  const std::uint32_t B = memory + M::kB1;
  const int y = 4 * (warp >> 1);
  const int part = warp & 1;
  const int x0 = 16 * part;
  // Forward, a warp owned two rows of 32 pixels: of its eight bits for each of a row's halves and a
  // pair's sides, those of this half, from two such warps.
  const auto mask = [&](int l) {
    const auto* words = reinterpret_cast<const std::uint32_t*>(tape->masks[l]) +
                        image * kLearnThreads + (warp & ~1) * 32 + lane;
    const std::uint32_t upper = (words[0] >> (4 * part)) & 0x0f0f0f0fU;
    const std::uint32_t lower = (words[32] >> (4 * part)) & 0x0f0f0f0fU;
    return __byte_perm(upper | upper >> 4, lower | lower >> 4, 0x6240);
  };
  zero_halo<Band1>(A, alone, thread, kLearnThreads);
  float x[4][2][4] = {};
  std::uint32_t b[9][4];
  const std::uint32_t weights5 = acquire(5) + lane * 16;
#pragma unroll
  for (int chunk = 0; chunk < 2; ++chunk) {  // of the 32 channels, for which registers are too few
#pragma unroll
    for (int s = 0; s < 9; ++s) {
      load128(b[s], weights5 + ((s / 3 * 2 + chunk) * 3 + s % 3) * 512);
    }
    conv_four_rows<Wide2, 1>(
        x, memory + M::kWide2 + Wide2::offset(y - 1, x0 + tile_row - 1) + half + chunk * 32, b);
  }
  load_weights(b, acquire(4) + lane * 16, 512);
  store_rows(A, 4, x, y, x0);
  finish(5);
  zero_halo<Band1>(B, alone, thread, kLearnThreads);
  const std::uint32_t place = Band1::offset(y - 1, x0 + tile_row - 1) + half;
#pragma unroll 1
  for (int block = 1; block >= 0; --block) {
    const int l = 2 + 2 * block;
    const std::uint32_t positive2 = mask(l);
    const std::uint32_t positive1 = mask(l - 1);
    float h[4][2][4] = {};
    conv_four_rows<Band1, 1>(h, A + place, b);
    keep_positive<32>(&h[0][0][0], positive2);
    load_weights(b, acquire(l - 1) + lane * 16, 512);
    store_rows(B, l - 1, h, y, x0);
    finish(l);
    float change[4][2][4] = {};
    conv_four_rows<Band1, 1>(change, B + place, b);
    add_change<32>(&x[0][0][0], &change[0][0][0], positive1);
    if (block == 1) load_weights(b, acquire(l - 2) + lane * 16, 512);
    store_rows(A, l - 2, x, y, x0);
    finish(l - 1);
  }
}

// Four rows of 16 pixels, in shared memory and on the tape; lanes swap halves with their neighbours
// so that 32 bytes are written at a time.
template <bool RELU_SKIP>
__device__ void Backward<RELU_SKIP>::store_rows(std::uint32_t band, int layer,
                                                const float (&v)[4][2][4], int y, int x) const {
  std::uint16_t* image_of_layer = tape->gradients[layer] + image * (32 * 32 * 16);
  const bool is_odd = (q & 1) != 0;
#pragma unroll
  for (int row = 0; row < 4; ++row) {
    std::uint32_t p[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      p[i / 2][i % 2] = pack_bf16(v[row][i / 2][2 * (i % 2)], v[row][i / 2][2 * (i % 2) + 1]);
    }
    store_matrix(band + Band1::offset(y + row, x + tile_row) + half, p[0][0], p[0][1], p[1][0],
                 p[1][1]);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const std::uint32_t other = __shfl_xor_sync(0xffffffffU, is_odd ? p[0][h] : p[1][h], 1);
      const int pixel = (y + row) * 32 + x + g + 8 * h;
      *reinterpret_cast<uint2*>(image_of_layer + pixel * 16 + (is_odd ? 6 + 2 * q : 2 * q)) =
          is_odd ? make_uint2(other, p[1][h]) : make_uint2(p[0][h], other);
    }
  }
}

namespace {

template <bool RELU_SKIP>
__global__ void __launch_bounds__(kLearnThreads, 1)
    backward(const __grid_constant__ TrainBuffers tape, const __grid_constant__ LayerMaps gradients,
             const std::uint32_t* __restrict__ features,
             const std::uint32_t* __restrict__ d_features) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const Backward<RELU_SKIP> b(&tape, gradients.of, shared_address(shared));
  b.begin();
  b.stage3(features, d_features);
  b.stage2();
  b.stage1();
}

}  // namespace

void order_backward(const TrainBuffers& tape, const LayerMaps& gradients, bool relu_skip, int batch,
                    const void* features, const void* d_features, cudaStream_t stream) {
  constexpr int kBytes = BackwardMemory::kTotal;
  auto* kernel = relu_skip ? backward<true> : backward<false>;
  allow_memory(kernel, kBytes);
  kernel<<<static_cast<unsigned>(batch), kLearnThreads, kBytes, stream>>>(
      tape, gradients, static_cast<const std::uint32_t*>(features),
      static_cast<const std::uint32_t*>(d_features));
  check(cudaGetLastError(), "the pass backward");
}

}  // namespace plr::cuda::impala
