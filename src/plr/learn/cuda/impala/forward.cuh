// Forward pass of the IMPALA network's convolutions, all fifteen in one kernel.
//
// A cluster of kClusterSize thread blocks processes an image, each a tile of its rows; the
// activations never leave the chip.  16 warps share the work on an image, 512 / kClusterSize
// threads per thread block.
//
// A residual block reads row tile A and writes B, then reads B and adds to what its warps hold in
// registers, of which A gets a copy.  Weights arrive through a ring of kSlots buffers, some layers
// ahead.  Pools run in registers, and their inputs are stored nowhere.  Two policies: Smem says
// where tiles are in shared memory and how weights are copied there, on Hopper or on any GPU
// (forward_smem.cuh); Save, what is saved for the backward pass (save_activations.cuh).  Sums are
// taken in the same order with every Smem, so that features are bitwise identical.
//
//   const Forward<ForwardSmem<1, 4>, false, NoSave> f({}, shared_address(shared), packed_weights);
//   f.start_copies(biases);
//   f.load_image(pixels);
//   f.run(features);
//
// The members that compute are in forward_stages.cuh.
#pragma once

#include <cuda_bf16.h>

#include <type_traits>

#include "plr/learn/cuda/impala/conv.cuh"
#include "plr/learn/cuda/impala/forward_smem.cuh"
#include "plr/learn/cuda/impala/image.cuh"
#include "plr/learn/cuda/impala/max_pool.cuh"
#include "plr/learn/cuda/impala/row_tile.cuh"
#include "plr/learn/cuda/impala/save_activations.cuh"

namespace plr::cuda::impala {

template <class Smem, bool RELU_SKIP, class Save>
struct Forward {
  static constexpr int kClusterSize = Smem::kClusterSize;
  static constexpr int kSlots = Smem::kSlots;
  using Stage1Rows = typename Smem::Stage1Rows;
  using Stage2Rows = typename Smem::Stage2Rows;
  using Stage3Rows = typename Smem::Stage3Rows;

  Save save;
  std::uint32_t memory;  // the thread block's shared memory
  const std::uint8_t* weights;
  int thread, lane, warp;
  int g, q;  // lane / 4 and lane % 4: a lane's position in fragments
  int rank;  // of the thread block in its cluster
  ClusterHalo halo;
  typename Smem::Copies copies;
  // For ldmatrix: lane i gives the address of row i % 16 of a tile, half i / 16 of its 16 channels.
  int tile_row, half;
  // Before a pool the tile's row is another pixel: four even and four odd ones alternate, since a
  // stride of two pixels alone would have bank conflicts.
  int pool_pixel;

  __device__ Forward(const Save& saver, std::uint32_t shared, const void* packed)
      : save(saver),
        memory(shared),
        weights(static_cast<const std::uint8_t*>(packed)),
        thread(static_cast<int>(threadIdx.x)),
        lane(thread & 31),
        warp(thread >> 5),
        g(lane >> 2),
        q(lane & 3),
        rank(rank_in_cluster<kClusterSize>()),
        halo{rank > 0, rank < kClusterSize - 1, 0, 0, memory + Smem::kHaloBarriers},
        copies(memory + Smem::kBarriers, thread),
        tile_row(lane & 15),
        half((lane >> 4) * 16),
        pool_pixel(2 * (lane & 7) + static_cast<int>(((lane & 7) >= 4) != (tile_row >= 8))) {
    if constexpr (kClusterSize > 1) {
      halo.to_above = mapa(memory, halo.has_above ? rank - 1 : rank) - memory;
      halo.to_below = mapa(memory, halo.has_below ? rank + 1 : rank) - memory;
    }
  }

  // ---- weights and biases ----------------------------------------------------------------------

  // Initializes the barriers and starts to copy weights and biases.
  __device__ void start_copies(const float* biases) const {
    if constexpr (kClusterSize > 1) {
      for (int i = 0; i < ClusterHalo::kNumBarriers && thread == 0; ++i) {
        mbarrier_init(halo.barriers + i * 8, ClusterHalo::kArrivals);
      }
    }
    copies.init();
    fetch_weights(0);
    copies.copy(kSlots, memory + Smem::kBias, biases, kNumLayers * kBiasStride * 4);
    for (int layer = 1; layer < kSlots; ++layer) fetch_weights(layer);
    __syncwarp();
  }

  __device__ void fetch_weights(int layer) const {
    copies.copy(layer % kSlots, memory + Smem::kRing + layer % kSlots * kLargestLayer,
                weights + layer_offset(layer), layer_bytes(layer));
  }
  // Waits for a layer's weights and returns their address.
  __device__ std::uint32_t wait_weights(int layer) const {
    copies.wait(layer % kSlots, layer / kSlots & 1);
    return memory + Smem::kRing + layer % kSlots * kLargestLayer;
  }
  __device__ float2 bias(int layer, int channel) const {
    return ld_shared_float2(memory + Smem::kBias + (layer * kBiasStride + channel) * 4);
  }

  // ---- the image -------------------------------------------------------------------------------

  // Converts this thread block's rows of the image to four bf16 per pixel.  If `copy` is not null,
  // also copies the rows that it owns there.
  template <class Pixel>
  __device__ void load_image(const Pixel* image, std::uint8_t* copy = nullptr) const {
    constexpr int kOwnRows = 64 / kClusterSize;
    constexpr int kRowsAtOnce = Smem::kThreads / 16;
    constexpr int kSteps = (Smem::kImageRows + kRowsAtOnce - 1) / kRowsAtOnce;
    // The first of a warp's two rows, in the tile; the tile begins two rows above the own ones.
    const auto tile_row_of = [&](int step) { return step * kRowsAtOnce + 2 * warp; };
    const auto image_row_of = [&](int tile_row) { return rank * kOwnRows + tile_row - 2; };
    TwoRows<Pixel> rows[kSteps];
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const int first = tile_row_of(step);
      rows[step].load(image + image_row_of(first) * 192, lane, [&](int i) {
        const int y = image_row_of(first + i);
        return first + i < Smem::kImageRows && y >= 0 && y < 64;
      });
    }
    zero_halos();  // while the loads are in flight
    if constexpr (std::is_same_v<Pixel, std::uint8_t>) {
#pragma unroll
      for (int step = 0; step < kSteps && copy != nullptr; ++step) {
        const int first = tile_row_of(step);
        rows[step].store(copy + image_row_of(first) * 192, lane,
                         [&](int i) { return first + i >= 2 && first + i < kOwnRows + 2; });
      }
    }
    const std::uint32_t to = memory + Smem::kImage;
    for (int i = thread; i < Smem::kImageRows * 4; i += Smem::kThreads) {  // beside the image
      st_shared_v2(to + (i >> 2) * kImagePitch + ((i & 3) != 0 ? 64 + (i & 3) : 0) * 8, 0, 0);
    }
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      rows[step].distribute(lane);
      const int row = tile_row_of(step) + (lane >> 4);
      if (row >= Smem::kImageRows) continue;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        st_shared_v2(to + row * kImagePitch + (4 * (lane & 15) + j + 1) * 8,
                     pack_bf16(rows[step][3 * j], rows[step][3 * j + 1]),
                     pack_bf16(rows[step][3 * j + 2], 0.0F));
      }
    }
  }

  // Zeroes the halos, except in memory that is reused: that is done when it gets its next use.
  __device__ void zero_halos() const {
    if constexpr (Smem::kInPlace) return;
    // Neighbors may send once all thread blocks of the cluster run.
    if constexpr (kClusterSize > 1) cluster_arrive_relaxed();
    zero_halo<Stage1Rows>(memory + Smem::kA1, halo, thread, Smem::kThreads);
    zero_halo<Stage3Rows>(memory + Smem::kA3, halo, thread, Smem::kThreads);
    zero_halo<Stage3Rows>(memory + Smem::kB3, halo, thread, Smem::kThreads);
    if constexpr (!Smem::kReusesMemory) {
      zero_halo_B1();
      zero_halos_stage2();
    }
  }
  __device__ void zero_halo_B1() const {
    zero_halo<Stage1Rows>(memory + Smem::kB1, halo, thread, Smem::kThreads);
  }
  __device__ void zero_halos_stage2() const {
    zero_halo<Stage2Rows>(memory + Smem::kA2, halo, thread, Smem::kThreads);
    zero_halo<Stage2Rows>(memory + Smem::kB2, halo, thread, Smem::kThreads);
  }

  // ---- the layers ------------------------------------------------------------------------------

  // Runs all stages.
  // REQUIRES: start_copies() and load_image() were called.
  __device__ void run(__nv_bfloat16* features) const {
    copies.before_barrier();
    __syncthreads();
    copies.wait(kSlots, 0);
    stage1();
    stage2();
    stage3(features);
  }

  __device__ void stage1() const;
  template <class WaitHalo>
  __device__ void first_layer(int y, float (&x)[2][2][2][4], WaitHalo wait_halo) const;
  __device__ void stage2() const;
  __device__ void stage3(__nv_bfloat16* features) const;

  // Called when a warp has read a layer's input, before it stores the output: in place, all warps
  // must have read it.  The next layer's weights have arrived then.
  __device__ void finish_reading() const {
    if constexpr (!Smem::kInPlace) return;
    copies.before_barrier();
    __syncthreads();
  }
  // The same in the first layer of a stage, whose output has another shape than its input.
  template <class Tile>
  __device__ void finish_reading_into(std::uint32_t address) const {
    finish_reading();
    if constexpr (Smem::kInPlace) zero_halo<Tile>(address, halo, thread, Smem::kThreads);
  }
  // Waits until every warp of the thread block has finished a layer, whose output is at `address`.
  template <class Tile>
  __device__ void finish_layer(int layer, std::uint32_t address) const {
    save.before_barrier();
    __syncthreads();
    save.template store_input<Tile>(layer + 1, address);
    if (layer + kSlots < kNumLayers) fetch_weights(layer + kSlots);
  }

  // What a residual block adds to.
  __device__ static float skip(float x) { return RELU_SKIP ? fmaxf(x, 0.0F) : x; }

  // Stores a warp's results of a layer and sends its edge rows; returns the ReLU mask.
  template <class Tile>
  __device__ std::uint32_t store(int layer, std::uint32_t address,
                                 const float (&v)[2][Tile::kWidth / 16][2][4], int y, int channel,
                                 bool relu) const {
    const std::uint32_t positive = store_tile<Tile>(address, v, y, channel, relu, lane);
    send_halo<Tile, kClusterSize, 2>(layer, address, y, channel, halo, lane);
    return positive;
  }
  template <class Tile>
  __device__ std::uint32_t store_small(int layer, std::uint32_t address, const float (&v)[4], int y,
                                       int channel, bool relu) const {
    const std::uint32_t positive = store_small_tile<Tile>(address, v, y, channel, relu, lane);
    send_halo<Tile, kClusterSize, 1>(layer, address, y, channel, halo, lane);
    return positive;
  }

  // The convolution before a pool: five rows of outputs.
  template <class Tile, int TILES, class WaitHalo>
  __device__ static void conv_to_pool(float (&sum)[5][TILES][4], std::uint32_t base,
                                      const std::uint32_t (&b)[9 * Tile::kChannels / 16][2 * TILES],
                                      WaitHalo wait_halo) {
    if constexpr (Save::kSaves) {
      conv_five_rows_same_order<Tile, TILES>(sum, base, b);
    } else {
      conv_five_rows<Tile, TILES>(sum, base, b, wait_halo);
    }
  }
  // The pool of these rows: pooled rows y and y + 1, the 8 pixels from 8 * t on, n-tiles from
  // `group` on.
  template <int POOL, int TILES>
  __device__ void pool(float (&out)[2][TILES][2], const float (&sum)[5][TILES][4],
                       float (&last_odd)[2][TILES][2], int y, int t, int group) const {
    const bool is_first_row_missing = !halo.has_above && y == 0;
    if constexpr (Save::kSaves) {
      std::uint32_t argmax[2][TILES];
      max_pool_argmax<TILES, (POOL > 0)>(out, argmax, sum, last_odd, is_first_row_missing, lane);
      // Each of the four lanes of a pixel has all of its words and stores one of them.
      const int row = TILES == 2 ? q >> 1 : q;
      const int tile = TILES == 2 ? q & 1 : 0;
      if (row > 1) return;
      const std::uint32_t low = tile == 0 ? argmax[0][0] : argmax[0][TILES - 1];
      const std::uint32_t high = tile == 0 ? argmax[1][0] : argmax[1][TILES - 1];
      save.template pool_argmax<POOL>((y + row) * (32 >> POOL) + 8 * t + g, group + tile,
                                      row == 0 ? low : high);
    } else {
      max_pool<TILES, (POOL > 0)>(out, sum, last_odd, is_first_row_missing, lane);
    }
  }

  // Begins a residual block with layers l and l + 1: the sums h begin with the bias of layer l, and
  // x, which layer l + 1 adds to, gets that of layer l + 1.
  template <int TILES>
  __device__ void begin_residual_block(int l, int channel, float (&h)[2][TILES][2][4],
                                       float (&x)[2][TILES][2][4]) const {
#pragma unroll
    for (int tile = 0; tile < 2; ++tile) {
      const float2 bias1 = bias(l, tile * 8 + channel);
      const float2 bias2 = bias(l + 1, tile * 8 + channel);
#pragma unroll
      for (int row = 0; row < 2; ++row) {
#pragma unroll
        for (int mx = 0; mx < TILES; ++mx) {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            h[row][mx][tile][i] = (i & 1) != 0 ? bias1.y : bias1.x;
            x[row][mx][tile][i] = skip(x[row][mx][tile][i]) + ((i & 1) != 0 ? bias2.y : bias2.x);
          }
        }
      }
    }
  }

  template <int TILES>
  __device__ static void fill_minus_infinity(float (&x)[2][TILES][2]) {
#pragma unroll
    for (int i = 0; i < 4 * TILES; ++i) x[i / (2 * TILES)][i / 2 % TILES][i % 2] = -INFINITY;
  }
};

}  // namespace plr::cuda::impala
