// Backward pass of the IMPALA network's convolutions: input gradients of all layers in one kernel.
//
// It runs the convolutions of conv.cuh with mirrored weights, from the last layer to the second.  A
// thread block of 16 warps processes an image; the gradient that skips the residual blocks stays in
// registers, in fp32.
//
//   shared memory:  A3 B3 | A2 B2 | Q | ring of kSlots layers' weights | pool argmax | barriers
//
// A and B are the two row tiles of a stage.  Unpooled gradients are in B2 and Q; the first stage
// uses the memory of the others for its A, and Q for its B.  The gradients of every layer's output
// are written to the training buffers: by tensor copies, and in the first stage, where pixels are
// small, from registers, which is faster there.
#pragma once

#include <cuda_bf16.h>

#include "plr/learn/cuda/impala/buffers.h"
#include "plr/learn/cuda/impala/conv.cuh"
#include "plr/learn/cuda/impala/max_pool.cuh"
#include "plr/learn/cuda/impala/row_tile.cuh"
#include "plr/learn/cuda/impala/tensor_maps.h"

namespace plr::cuda::impala {

struct BackwardSmem {
  using Stage1Rows = RowTile<32, 32, 16>;
  using Stage2Rows = RowTile<16, 16, 32>;
  using Stage3Rows = RowTile<8, 8, 32>;
  using Unpooled2 = RowTile<32, 32, 32>;  // the gradient before the second pool
  static constexpr int kSlots = 3;
  static constexpr int kA3 = 0;
  static constexpr int kB3 = kA3 + Stage3Rows::kBytes;
  static constexpr int kA2 = kB3 + Stage3Rows::kBytes;
  static constexpr int kB2 = kA2 + Stage2Rows::kBytes;
  static constexpr int kQ = kB2 + Stage2Rows::kBytes;
  static constexpr int kA1 = 0;
  static constexpr int kB1 = kQ;
  static constexpr int kUnpooled3 = kB2;
  static constexpr int kUnpooled2 = kQ;
  static_assert(Stage1Rows::kBytes <= kQ && Stage1Rows::kBytes <= Unpooled2::kBytes);
  static constexpr int kRing = kQ + Unpooled2::kBytes;
  static constexpr int kArgmax3 = kRing + kSlots * kLargestLayer;
  static constexpr int kArgmax3Bytes = 8 * 8 * 4 * 4;
  static constexpr int kArgmax2 = kArgmax3 + kArgmax3Bytes;
  static constexpr int kArgmax2Bytes = 16 * 16 * 4 * 4;
  static constexpr int kBarriers = kArgmax2 + kArgmax2Bytes;
  static constexpr int kTotal = kBarriers + (kSlots + 1) * 8;
  static_assert(kTotal <= 227 * 1024, "more shared memory than a Hopper has");
};

template <bool RELU_SKIP>
struct Backward {
  using Smem = BackwardSmem;
  using Stage1Rows = Smem::Stage1Rows;
  using Stage2Rows = Smem::Stage2Rows;
  using Stage3Rows = Smem::Stage3Rows;
  using Unpooled2 = Smem::Unpooled2;

  const TrainBuffers* buffers;
  const CUtensorMap* maps;  // of the output gradients, by layer
  std::uint32_t memory;
  int image, thread, lane, warp;
  int g, q;                  // lane / 4 and lane % 4
  int tile_row, half;        // for ldmatrix, as in Forward
  ClusterHalo no_halo = {};  // an image is one thread block's

  __device__ Backward(const TrainBuffers* train_buffers, const CUtensorMap* output_grads,
                      std::uint32_t shared)
      : buffers(train_buffers),
        maps(output_grads),
        memory(shared),
        image(static_cast<int>(blockIdx.x)),
        thread(static_cast<int>(threadIdx.x)),
        lane(thread & 31),
        warp(thread >> 5),
        g(lane >> 2),
        q(lane & 3),
        tile_row(lane & 15),
        half((lane >> 4) * 16) {}

  // Layers go from kLastLayer down to 1; the n-th of them uses slot n % kSlots of the ring.
  __device__ std::uint32_t barrier(int slot) const { return memory + Smem::kBarriers + slot * 8; }
  __device__ static int ring_slot(int layer) { return (kLastLayer - layer) % Smem::kSlots; }
  __device__ void fetch_weights(int layer) const {
    const auto* from = reinterpret_cast<const std::uint8_t*>(buffers->mirrored_weights);
    expect_and_cp_async_bulk(memory + Smem::kRing + ring_slot(layer) * kLargestLayer,
                             from + layer_offset(layer), layer_bytes(layer),
                             barrier(ring_slot(layer)));
  }
  __device__ std::uint32_t wait_weights(int layer) const {
    mbarrier_wait(barrier(ring_slot(layer)), (kLastLayer - layer) / Smem::kSlots & 1);
    return memory + Smem::kRing + ring_slot(layer) * kLargestLayer;
  }
  // Waits until every warp has finished a layer.
  __device__ void finish_layer(int layer) const {
    fence_proxy_async();
    if (thread == 0) cp_async_bulk_wait_read();
    __syncthreads();
    if (thread == 0 && layer - Smem::kSlots >= 1) fetch_weights(layer - Smem::kSlots);
  }
  // Starts to store the gradient of a layer's output, which is at `address`.  Called after a
  // barrier; the memory is written again only after the next one, when the store has read it.
  template <class Tile>
  __device__ void store_output_grad(int layer, std::uint32_t address) const {
    if (thread == 0) cp_async_bulk_tensor_store(maps + layer, image, address + Tile::offset(0, 0));
  }
  template <class Word>
  __device__ std::uint32_t relu_mask(int layer) const {
    return reinterpret_cast<const Word*>(
        buffers->relu_masks[layer])[image * kTrainThreads + thread];
  }
  // Adds the gradient that came through a residual block to the one that skipped it.
  template <int N>
  __device__ static void add_residual_grad(float* x, float* residual, std::uint32_t positive) {
    if constexpr (!RELU_SKIP) mask_positive<N>(residual, positive);
#pragma unroll
    for (int i = 0; i < N; ++i) x[i] += residual[i];
    if constexpr (RELU_SKIP) mask_positive<N>(x, positive);
  }

  // Initializes the barriers, starts the first copies, and zeroes the halos.
  __device__ void start_copies() const {
    if (thread == 0) {
      for (int slot = 0; slot <= Smem::kSlots; ++slot) mbarrier_init(barrier(slot), 1);
      fence_mbarrier_init();
      for (int layer = kLastLayer; layer > kLastLayer - Smem::kSlots; --layer) fetch_weights(layer);
      const std::uint32_t arrival = barrier(Smem::kSlots);
      mbarrier_arrive_expect_tx(arrival, Smem::kArgmax3Bytes + Smem::kArgmax2Bytes);
      cp_async_bulk(memory + Smem::kArgmax3,
                    buffers->pool_argmax[2] + image * (Smem::kArgmax3Bytes / 4),
                    Smem::kArgmax3Bytes, arrival);
      cp_async_bulk(memory + Smem::kArgmax2,
                    buffers->pool_argmax[1] + image * (Smem::kArgmax2Bytes / 4),
                    Smem::kArgmax2Bytes, arrival);
    }
    __syncwarp();
    zero_halo<Stage3Rows>(memory + Smem::kA3, no_halo, thread, kTrainThreads);
    zero_halo<Stage3Rows>(memory + Smem::kB3, no_halo, thread, kTrainThreads);
    zero_halo<Stage2Rows>(memory + Smem::kA2, no_halo, thread, kTrainThreads);
    zero_halo<Stage2Rows>(memory + Smem::kB2, no_halo, thread, kTrainThreads);
    zero_halo<Unpooled2>(memory + Smem::kUnpooled2, no_halo, thread, kTrainThreads);
  }

  // From the gradient after a pool to that before it, which is the output gradient of `layer`.
  template <class Pooled, class Unpooled>
  __device__ void max_unpool(int layer, std::uint32_t from, std::uint32_t to,
                             std::uint32_t argmax_address) const {
    constexpr int kSide = Pooled::kWidth;
    constexpr int kGroups = Pooled::kChannels / 8;
    for (int i = thread; i < kSide * kSide * kGroups; i += kTrainThreads) {
      const int group = i % kGroups;
      const int x = i / kGroups % kSide;
      const int y = i / kGroups / kSide;
      std::uint32_t v[2][2][4];
      std::uint32_t argmax[2][2];
#pragma unroll
      for (int a = 0; a < 2; ++a) {
#pragma unroll
        for (int b = 0; b < 2; ++b) {
          const bool is_inside = y + a < kSide && x + b < kSide;
          const int pixel = (y + a) * kSide + x + b;
          argmax[a][b] = is_inside ? ld_shared_u32(argmax_address + (pixel * kGroups + group) * 4)
                                   : 0xffffffffU;
          ld_shared_v4(v[a][b], from + Pooled::offset(y + a, x + b) + group * 16);
        }
      }
      std::uint32_t out[2][2][4];
      max_unpool_quad(out, v, argmax);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        st_shared_v4(to + Unpooled::offset(2 * y + k / 2, 2 * x + k % 2) + group * 16,
                     out[k / 2][k % 2]);
      }
    }
    fence_proxy_async();
    if (thread == 0) cp_async_bulk_wait_read();
    __syncthreads();
    store_output_grad<Unpooled>(layer, to);
  }

  __device__ void stage3(const std::uint32_t* features, const std::uint32_t* features_grad) const;
  __device__ void stage2() const;
  __device__ void stage1() const;
  __device__ void store_rows(std::uint32_t address, int layer, const float (&v)[4][2][4], int y,
                             int x) const;
};

}  // namespace plr::cuda::impala
