// All convolutions of Procgen's network in one kernel.
//
// A cluster of BLOCKS thread blocks takes an image, each a band of its rows; what the band's layers
// make never leaves the chip.  16 warps share the work on an image, 512 / BLOCKS threads a block.
//
//   shared memory:  A1 B1 | image | A2 B2 | A3 B3 | biases | ring of SLOTS layers' weights |
//   barriers
//
// A block of the network reads A and writes B, then reads B and adds to what its warps hold in
// registers, of which A gets a copy.  Weights arrive through the ring by the bulk copy engine, some
// layers ahead.  Pools happen in registers; what they pool exists nowhere else.
#pragma once

#include <cuda_bf16.h>

#include "plr/learn/cuda/procgen_actor.h"
#include "plr/learn/cuda/procgen_band.cuh"
#include "plr/learn/cuda/procgen_conv.cuh"

namespace plr::cuda {

template <int BLOCKS, int SLOTS>
struct SeeMemory {
  using Band1 = Band<32 / BLOCKS, 32, 16>;
  using Band2 = Band<16 / BLOCKS, 16, 32>;
  using Band3 = Band<8 / BLOCKS, 8, 32>;
  static constexpr int kThreads = 512 / BLOCKS;
  static constexpr int kImagePitch = 68 * 8;  // 68 pixels of four bf16, r g b 0, from x = -1
  static constexpr int kImageRows = 64 / BLOCKS + 3;  // from row -2 on
  static constexpr int kImageBytes = kImageRows * kImagePitch;

  // A block alone uses one place for the image, B1 and the second stage, one after the other.  In a
  // cluster a neighbour's rows may arrive while another warp still reads what was there before.
  static constexpr bool kShares = BLOCKS == 1;
  static constexpr int larger(int a, int b) { return a > b ? a : b; }
  static constexpr int kA1 = 0;
  static constexpr int kB1 = kA1 + Band1::kBytes;
  static constexpr int kImage = kShares ? kB1 : kB1 + Band1::kBytes;
  static constexpr int kA2 = kShares ? kB1 : kImage + kImageBytes;
  static constexpr int kB2 = kA2 + Band2::kBytes;
  static constexpr int kA3 =
      kShares ? kB1 + larger(larger(Band1::kBytes, 2 * Band2::kBytes), kImageBytes)
              : kB2 + Band2::kBytes;
  static constexpr int kB3 = kA3 + Band3::kBytes;
  static constexpr int kBias = kB3 + Band3::kBytes;
  static constexpr int kRing = (kBias + kLayers * kBiasStride * 4 + 127) / 128 * 128;
  static constexpr int kBarriers = kRing + SLOTS * kLargestLayer;
  static constexpr int kTotal = kBarriers + (SLOTS + 3) * 8;
  static_assert(kTotal <= 227 * 1024, "a Hopper has no more");
};

template <int BLOCKS, int SLOTS, bool RELU_SKIP>
struct Seer {
  using M = SeeMemory<BLOCKS, SLOTS>;
  using Band1 = typename M::Band1;
  using Band2 = typename M::Band2;
  using Band3 = typename M::Band3;

  std::uint32_t memory;  // the block's shared memory
  const std::uint8_t* weights;
  int thread, lane, warp;
  int g, q;  // lane / 4 and lane % 4: a lane's place in fragments
  int rank;  // of the block in its cluster
  Neighbours nearby;
  // For matrix loads: lane i names row i % 16 of a tile and half i / 16 of its 16 channels.
  int tile_row, half;
  // Before a pool the tile's row is another pixel: four even and four odd ones in turn, since a
  // stride of two pixels alone would meet banks twice.
  int pool_pixel;

  __device__ std::uint32_t barrier(int slot) const { return memory + M::kBarriers + slot * 8; }

  __device__ void fetch(int layer) const {
    bulk_load(memory + M::kRing + layer % SLOTS * kLargestLayer, weights + layer_offset(layer),
              layer_bytes(layer), barrier(layer % SLOTS));
  }
  // Waits for a layer's weights.
  __device__ std::uint32_t acquire(int layer) const {
    barrier_wait(barrier(layer % SLOTS), layer / SLOTS & 1);
    return memory + M::kRing + layer % SLOTS * kLargestLayer;
  }
  // Every warp of the block is done with a layer.
  __device__ void finish(int layer) const {
    __syncthreads();
    if (thread == 0 && layer + SLOTS < kLayers) fetch(layer + SLOTS);
  }
  __device__ float2 bias(int layer, int channel) const {
    return load_floats(memory + M::kBias + (layer * kBiasStride + channel) * 4);
  }
  // What a block of the network adds to.
  __device__ static float skip(float x) { return RELU_SKIP ? fmaxf(x, 0.0F) : x; }

  // The band of the image as four bf16 a pixel; 0..255 is exact in bf16.
  __device__ void take_image(const std::uint8_t* image) const {
    constexpr int kItems = M::kImageRows * 16;  // of four pixels, 12 bytes
    constexpr int kEach = (kItems + M::kThreads - 1) / M::kThreads;
    std::uint32_t bytes[kEach][3];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const int i = thread + k * M::kThreads;
      const int row = rank * (64 / BLOCKS) + (i >> 4) - 2;
      const bool is_inside = i < kItems && row >= 0 && row < 64;
      const auto* p = reinterpret_cast<const std::uint32_t*>(image + row * 192 + (i & 15) * 12);
#pragma unroll
      for (int j = 0; j < 3; ++j) bytes[k][j] = is_inside ? __ldg(p + j) : 0U;
    }
    prepare();
    const std::uint32_t to = memory + M::kImage;
    for (int i = thread; i < M::kImageRows * 4; i += M::kThreads) {  // beside the image
      store64(to + (i >> 2) * M::kImagePitch + ((i & 3) != 0 ? 64 + (i & 3) : 0) * 8, 0, 0);
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const int i = thread + k * M::kThreads;
      if (i >= kItems) continue;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        float c[3];
#pragma unroll
        for (int e = 0; e < 3; ++e) {
          // A byte becomes a float as the last one of 2^23 + byte: conversions are slow.
          const int at = 3 * j + e;
          c[e] = __uint_as_float(__byte_perm(bytes[k][at >> 2], 0x4B000000U, 0x7650 + (at & 3))) -
                 8388608.0F;
        }
        store64(to + (i >> 4) * M::kImagePitch + (4 * (i & 15) + j + 1) * 8, pack_bf16(c[0], c[1]),
                pack_bf16(c[2], 0.0F));
      }
    }
  }

  // While the image is on its way: halos.  Those of memory that is shared wait for their turn.
  __device__ void prepare() const {
    if constexpr (BLOCKS > 1) cluster_arrive_relaxed();  // neighbours may send once all are here
    zero_halo<Band1>(memory + M::kA1, nearby, thread, M::kThreads);
    zero_halo<Band3>(memory + M::kA3, nearby, thread, M::kThreads);
    zero_halo<Band3>(memory + M::kB3, nearby, thread, M::kThreads);
    if constexpr (!M::kShares) {
      zero_B1();
      zero_stage2();
    }
  }
  __device__ void zero_B1() const {
    zero_halo<Band1>(memory + M::kB1, nearby, thread, M::kThreads);
  }
  __device__ void zero_stage2() const {
    zero_halo<Band2>(memory + M::kA2, nearby, thread, M::kThreads);
    zero_halo<Band2>(memory + M::kB2, nearby, thread, M::kThreads);
  }

  // 64 x 64 x 3 -> 32 x 32 x 16.  A warp owns two pooled rows, all channels.
  __device__ void stage1() const {
    const std::uint32_t A = memory + M::kA1;
    const std::uint32_t B = memory + M::kB1;
    const int y = 2 * warp;
    const auto expect = [&](int l) {
      expect_halo<BLOCKS, 1, 1024>(l, y == 0, y + 2 == Band1::kRows, l == 4 ? 2 : 1, nearby, lane);
    };
    float x[2][2][2][4];  // [row][tile][n-tile][fragment]
    first_layer(y, x, expect);
    if constexpr (BLOCKS > 1) cluster_wait();
    store_tile<Band1, BLOCKS>(A, x, y, 0, true, 1, nearby, lane);
    std::uint32_t b[9][4];
    load_weights(b, acquire(1) + lane * 16, 512);
    finish(0);
    if constexpr (M::kShares) zero_B1();

    const std::uint32_t place = Band1::offset(y - 1, tile_row - 1) + half;
#pragma unroll 1
    for (int block = 0; block < 2; ++block) {
      const int l = 1 + 2 * block;
      float h[2][2][2][4];
      begin_block(l, 2 * q, h, x);
      conv_rows<Band1>(h, A + place, b, [&] { expect(l); });
      load_weights(b, acquire(l + 1) + lane * 16, 512);
      store_tile<Band1, BLOCKS>(B, h, y, 0, true, 1, nearby, lane);
      finish(l);
      conv_rows<Band1>(x, B + place, b, [&] { expect(l + 1); });
      if (block == 0) load_weights(b, acquire(l + 2) + lane * 16, 512);
      // The next stage's convolution takes x as it is.
      store_tile<Band1, BLOCKS>(A, x, y, 0, block == 0, 1 + block, nearby, lane);
      finish(l + 1);
    }
  }

  template <class Expect>
  __device__ void first_layer(int y, float (&x)[2][2][2][4], Expect expect) const {
    expect(0);
    const std::uint32_t from = acquire(0) + lane * 16;
    std::uint32_t b[3][4];
#pragma unroll
    for (int dy = 0; dy < 3; ++dy) load128(b[dy], from + dy * 512);
    float last_odd[2][2][2];
    fill_with_least(last_odd);
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      float sum[5][2][4] = {};
#pragma unroll
      for (int r = 0; r < 7; ++r) {
        // k is 4 * dx + channel: the four pixels of a window lie side by side.
        const std::uint32_t at =
            memory + M::kImage + (2 * y + r) * M::kImagePitch + (16 * t + 2 * g) * 8 + q * 4;
        const std::uint32_t a[4] = {load32(at), load32(at + 8), load32(at + 16), load32(at + 24)};
#pragma unroll
        for (int dy = 0; dy < 3; ++dy) {
          const int out = r - dy;
          if (out < 0 || out > 4) continue;
          mma(sum[out][0], a, b[dy][0], b[dy][1]);
          mma(sum[out][1], a, b[dy][2], b[dy][3]);
        }
      }
      float pooled[2][2][2];
      pool_tile<2, false>(pooled, sum, last_odd, !nearby.has_up && warp == 0, lane);
#pragma unroll
      for (int row = 0; row < 2; ++row) {
#pragma unroll
        for (int tile = 0; tile < 2; ++tile) {
          const float2 add = bias(0, tile * 8 + 2 * q);
          x[row][t >> 1][tile][(t & 1) * 2] = pooled[row][tile][0] + add.x;
          x[row][t >> 1][tile][(t & 1) * 2 + 1] = pooled[row][tile][1] + add.y;
        }
      }
    }
  }

  // 32 x 32 x 16 -> 16 x 16 x 32.  Two warps own two pooled rows, 16 channels each.
  __device__ void stage2() const {
    const std::uint32_t A = memory + M::kA2;
    const std::uint32_t B = memory + M::kB2;
    const int y = 2 * (warp >> 1);
    const int part = warp & 1;
    const int channel = part * 16 + 2 * q;
    const std::uint32_t place_of_weights = part * 512 + lane * 16;
    const auto expect = [&](int l) {
      expect_halo<BLOCKS, 2, 1024>(l, y == 0, y + 2 == Band2::kRows, l == 9 ? 2 : 1, nearby, lane);
    };
    if constexpr (M::kShares) zero_stage2();
    float x[2][1][2][4];
    {
      std::uint32_t b[9][4];
      load_weights(b, acquire(5) + place_of_weights, 1024);
      float last_odd[2][2][2];
      fill_with_least(last_odd);
#pragma unroll
      for (int t = 0; t < 2; ++t) {
        float sum[5][2][4] = {};
        conv_five_rows<Band1, 2>(
            sum, memory + M::kA1 + Band1::offset(2 * y - 2, 16 * t + pool_pixel - 1) + half, b,
            [&] {
              if (t == 0) expect(5);
            });
        float pooled[2][2][2];
        pool_tile<2, true>(pooled, sum, last_odd, !nearby.has_up && y == 0, lane);
#pragma unroll
        for (int row = 0; row < 2; ++row) {
#pragma unroll
          for (int tile = 0; tile < 2; ++tile) {
            const float2 add = bias(5, tile * 8 + channel);
            x[row][0][tile][t * 2] = pooled[row][tile][0] + add.x;
            x[row][0][tile][t * 2 + 1] = pooled[row][tile][1] + add.y;
          }
        }
      }
      store_tile<Band2, BLOCKS>(A, x, y, part * 16, true, 1, nearby, lane);
    }
    std::uint32_t b[18][4];
    load_weights(b, acquire(6) + place_of_weights, 1024);
    finish(5);

    const std::uint32_t place = Band2::offset(y - 1, tile_row - 1) + half;
#pragma unroll 1
    for (int block = 0; block < 2; ++block) {
      const int l = 6 + 2 * block;
      float h[2][1][2][4];
      begin_block(l, channel, h, x);
      conv_rows<Band2>(h, A + place, b, [&] { expect(l); });
      load_weights(b, acquire(l + 1) + place_of_weights, 1024);
      store_tile<Band2, BLOCKS>(B, h, y, part * 16, true, 1, nearby, lane);
      finish(l);
      conv_rows<Band2>(x, B + place, b, [&] { expect(l + 1); });
      if (block == 0) load_weights(b, acquire(l + 2) + place_of_weights, 1024);
      store_tile<Band2, BLOCKS>(A, x, y, part * 16, block == 0, 1 + block, nearby, lane);
      finish(l + 1);
    }
  }

  // 16 x 16 x 32 -> 8 x 8 x 32.  Four warps own two pooled rows, 8 channels each.
  __device__ void stage3(__nv_bfloat16* features) const {
    const std::uint32_t A = memory + M::kA3;
    const std::uint32_t B = memory + M::kB3;
    const int y = 2 * (warp >> 2);
    const int tile = warp & 3;
    const int channel = tile * 8 + 2 * q;
    const std::uint32_t place_of_weights = tile * 256 + lane * 8;
    const auto expect = [&](int l) {
      expect_halo<BLOCKS, 4, 512>(l, y == 0, y + 2 == Band3::kRows, 1, nearby, lane);
    };
    std::uint32_t b[18][2];
    float x[4];  // two channels of row y, then of row y + 1
    {
      float sum[5][1][4] = {};
      float last_odd[2][1][2];
      float pooled[2][1][2];
      fill_with_least(last_odd);
      load_weights(b, acquire(10) + place_of_weights, 1024);
      conv_five_rows<Band2, 1>(sum,
                               memory + M::kA2 + Band2::offset(2 * y - 2, pool_pixel - 1) + half, b,
                               [&] { expect(10); });
      pool_tile<1, true>(pooled, sum, last_odd, !nearby.has_up && y == 0, lane);
      const float2 add = bias(10, channel);
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        x[2 * row] = pooled[row][0][0] + add.x;
        x[2 * row + 1] = pooled[row][0][1] + add.y;
      }
      store_small_tile<Band3, BLOCKS>(A, x, y, tile * 8, nearby, lane);
    }
    load_weights(b, acquire(11) + place_of_weights, 1024);
    finish(10);

    const std::uint32_t place = Band3::offset(y - 1 + (tile_row >> 3), (tile_row & 7) - 1) + half;
#pragma unroll 1
    for (int block = 0; block < 2; ++block) {
      const int l = 11 + 2 * block;
      const float2 add1 = bias(l, channel);
      const float2 add2 = bias(l + 1, channel);
      float h[4] = {add1.x, add1.y, add1.x, add1.y};
      conv_small<Band3>(h, A + place, b, [&] { expect(l); });
      load_weights(b, acquire(l + 1) + place_of_weights, 1024);
      store_small_tile<Band3, BLOCKS>(B, h, y, tile * 8, nearby, lane);
      finish(l);
#pragma unroll
      for (int i = 0; i < 4; ++i) x[i] = skip(x[i]) + ((i & 1) != 0 ? add2.y : add2.x);
      conv_small<Band3>(x, B + place, b, [&] { expect(l + 1); });
      if (block == 0) {
        load_weights(b, acquire(l + 2) + place_of_weights, 1024);
        store_small_tile<Band3, BLOCKS>(A, x, y, tile * 8, nearby, lane);
        finish(l + 1);
      }
    }
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const int pixel = (rank * Band3::kRows + y + row) * 8 + g;
      *reinterpret_cast<std::uint32_t*>(features + pixel * 32 + channel) =
          pack_bf16(fmaxf(x[2 * row], 0.0F), fmaxf(x[2 * row + 1], 0.0F));
    }
  }

  // Biases of layers l and l + 1: sums begin with the first, what is added to gets the second.
  template <int TILES>
  __device__ void begin_block(int l, int channel, float (&h)[2][TILES][2][4],
                              float (&x)[2][TILES][2][4]) const {
#pragma unroll
    for (int tile = 0; tile < 2; ++tile) {
      const float2 add1 = bias(l, tile * 8 + channel);
      const float2 add2 = bias(l + 1, tile * 8 + channel);
#pragma unroll
      for (int row = 0; row < 2; ++row) {
#pragma unroll
        for (int mx = 0; mx < TILES; ++mx) {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            h[row][mx][tile][i] = (i & 1) != 0 ? add1.y : add1.x;
            x[row][mx][tile][i] = skip(x[row][mx][tile][i]) + ((i & 1) != 0 ? add2.y : add2.x);
          }
        }
      }
    }
  }

  template <int TILES>
  __device__ static void fill_with_least(float (&x)[2][TILES][2]) {
#pragma unroll
    for (int i = 0; i < 4 * TILES; ++i) x[i / (2 * TILES)][i / 2 % TILES][i % 2] = -INFINITY;
  }
};

}  // namespace plr::cuda
