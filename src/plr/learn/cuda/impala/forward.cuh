// Who sees an image, and by what means?
//
// A cluster of BLOCKS thread blocks takes an image, each a band of its rows; what the band's layers
// make never leaves the chip.  16 warps share the work on an image, 512 / BLOCKS threads a block.
//
// A block of the network reads A and writes B, then reads B and adds to what its warps hold in
// registers, of which A gets a copy.  Weights arrive through the ring by the bulk copy engine, some
// layers ahead.  Pools happen in registers; what they pool exists nowhere else.  Who learns keeps
// what each layer takes (impala/save_activations.cuh).
#pragma once

#include <cuda_bf16.h>

#include "plr/learn/cuda/impala/conv.cuh"
#include "plr/learn/cuda/impala/forward_smem.cuh"
#include "plr/learn/cuda/impala/image.cuh"
#include "plr/learn/cuda/impala/max_pool.cuh"
#include "plr/learn/cuda/impala/row_tile.cuh"
#include "plr/learn/cuda/impala/save_activations.cuh"

namespace plr::cuda::impala {

template <int BLOCKS, int SLOTS, bool RELU_SKIP, class Keep>
struct Seer {
  using M = SeeMemory<BLOCKS, SLOTS>;
  using Band1 = typename M::Band1;
  using Band2 = typename M::Band2;
  using Band3 = typename M::Band3;

  Keep keep;
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

  __device__ Seer(const Keep& given, std::uint32_t shared, const void* packed)
      : keep(given),
        memory(shared),
        weights(static_cast<const std::uint8_t*>(packed)),
        thread(static_cast<int>(threadIdx.x)),
        lane(thread & 31),
        warp(thread >> 5),
        g(lane >> 2),
        q(lane & 3),
        rank(BLOCKS == 1 ? 0 : cluster_rank()),
        nearby{rank > 0, rank < BLOCKS - 1, 0, 0, barrier(SLOTS + 1)},
        tile_row(lane & 15),
        half((lane >> 4) * 16),
        pool_pixel(2 * (lane & 7) + static_cast<int>(((lane & 7) >= 4) != (tile_row >= 8))) {
    if constexpr (BLOCKS > 1) {
      nearby.up = address_in(memory, nearby.has_up ? rank - 1 : rank) - memory;
      nearby.down = address_in(memory, nearby.has_down ? rank + 1 : rank) - memory;
    }
  }

  // Starts the copies of weights and biases.
  __device__ void begin(const float* biases) const {
    if (thread == 0) {
      for (int slot = 0; slot <= SLOTS; ++slot) barrier_init(barrier(slot), 1);
      for (int i = 0; i < Neighbours::kBarriers; ++i) {
        barrier_init(nearby.bars + i * 8, Neighbours::kCount);
      }
      fence_barriers();
      fetch(0);
      bulk_load(memory + M::kBias, biases, kNumLayers * kBiasStride * 4, barrier(SLOTS));
      for (int layer = 1; layer < SLOTS; ++layer) fetch(layer);
    }
    __syncwarp();
  }
  // All stages, after take_image().
  __device__ void see(__nv_bfloat16* features) const {
    __syncthreads();
    barrier_wait(barrier(SLOTS), 0);
    stage1();
    stage2();
    stage3(features);
  }

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
  // Every warp of the block is done with a layer, whose output is in `band`.
  template <class B>
  __device__ void finish(int layer, std::uint32_t band) const {
    keep.prepare();
    __syncthreads();
    if (thread == 0) {
      keep.send(layer + 1, band + B::offset(0, 0));
      if (layer + SLOTS < kNumLayers) fetch(layer + SLOTS);
    }
  }
  __device__ float2 bias(int layer, int channel) const {
    return load_floats(memory + M::kBias + (layer * kBiasStride + channel) * 4);
  }
  // What a block of the network adds to.
  __device__ static float skip(float x) { return RELU_SKIP ? fmaxf(x, 0.0F) : x; }

  // Stores a warp's tile of a layer's output, and sends its edges.
  template <class B>
  __device__ std::uint32_t put(int layer, std::uint32_t band,
                               const float (&v)[2][B::kWidth / 16][2][4], int y, int channel,
                               bool relu) const {
    const std::uint32_t positive = store_tile<B>(band, v, y, channel, relu, lane);
    send_edges<B, BLOCKS, 2>(layer, band, y, channel, nearby, lane);
    return positive;
  }
  template <class B>
  __device__ std::uint32_t put_small(int layer, std::uint32_t band, const float (&v)[4], int y,
                                     int channel, bool relu) const {
    const std::uint32_t positive = store_small_tile<B>(band, v, y, channel, relu, lane);
    send_edges<B, BLOCKS, 1>(layer, band, y, channel, nearby, lane);
    return positive;
  }

  // The band of the image as four bf16 a pixel.
  template <class Pixel>
  __device__ void take_image(const Pixel* image) const {
    constexpr int kItems = M::kImageRows * 16;  // of four pixels
    constexpr int kEach = (kItems + M::kThreads - 1) / M::kThreads;
    FourPixels<Pixel> pixels[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const int i = thread + k * M::kThreads;
      const int row = rank * (64 / BLOCKS) + (i >> 4) - 2;
      if (i < kItems && row >= 0 && row < 64) pixels[k].load(image + row * 192 + (i & 15) * 12);
    }
    prepare();
    const std::uint32_t to = memory + M::kImage;
    for (int i = thread; i < M::kImageRows * 4; i += M::kThreads) {  // beside the image
      store64(to + (i >> 2) * kImagePitch + ((i & 3) != 0 ? 64 + (i & 3) : 0) * 8, 0, 0);
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const int i = thread + k * M::kThreads;
      if (i >= kItems) continue;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        store64(to + (i >> 4) * kImagePitch + (4 * (i & 15) + j + 1) * 8,
                pack_bf16(pixels[k][3 * j], pixels[k][3 * j + 1]),
                pack_bf16(pixels[k][3 * j + 2], 0.0F));
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

  __device__ void stage1() const;
  template <class Expect>
  __device__ void first_layer(int y, float (&x)[2][2][2][4], Expect expect) const;
  __device__ void stage2() const;
  __device__ void stage3(__nv_bfloat16* features) const;

  // A convolution whose five rows are pooled, and their pool: rows y and y + 1 of the pooled ones,
  // the 8 pixels from 8 * t on, n-tiles from `group` on.
  template <class B, int TILES, class Wait>
  __device__ static void conv_to_pool(float (&sum)[5][TILES][4], std::uint32_t base,
                                      const std::uint32_t (&b)[9 * B::kChannels / 16][2 * TILES],
                                      Wait wait_halo) {
    if constexpr (Keep::kKeeps) {
      conv_five_rows_alike<B, TILES>(sum, base, b);
    } else {
      conv_five_rows<B, TILES>(sum, base, b, wait_halo);
    }
  }
  template <int POOL, int TILES>
  __device__ void pool(float (&out)[2][TILES][2], const float (&sum)[5][TILES][4],
                       float (&last_odd)[2][TILES][2], int y, int t, int group) const {
    const bool is_first_row_missing = !nearby.has_up && y == 0;
    if constexpr (Keep::kKeeps) {
      std::uint32_t places[2][TILES];
      pool_with_places<TILES, (POOL > 0)>(out, places, sum, last_odd, is_first_row_missing, lane);
      // Each of the four lanes of a pixel has all of its words and stores one.
      const int row = TILES == 2 ? q >> 1 : q;
      const int tile = TILES == 2 ? q & 1 : 0;
      if (row > 1) return;
      const std::uint32_t low = tile == 0 ? places[0][0] : places[0][TILES - 1];
      const std::uint32_t high = tile == 0 ? places[1][0] : places[1][TILES - 1];
      keep.template places<POOL>((y + row) * (32 >> POOL) + 8 * t + g, group + tile,
                                 row == 0 ? low : high);
    } else {
      pool_tile<TILES, (POOL > 0)>(out, sum, last_odd, is_first_row_missing, lane);
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

}  // namespace plr::cuda::impala
