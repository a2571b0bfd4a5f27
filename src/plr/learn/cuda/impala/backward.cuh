// Backward pass of the IMPALA network's convolutions: input gradients of all layers in one kernel.
//
// It runs the convolutions of conv.cuh with mirrored weights, from the last layer to the second.  A
// thread block of 16 warps processes an image; the gradient that skips the residual blocks stays in
// registers, in fp32.
//
// The gradients of every layer's output are written to the training buffers: from shared memory,
// and in the first stage, where pixels are small, from registers, which is faster there.  Two
// policies: Smem says where tiles are in shared memory and how weights are copied there, on Hopper
// or on any GPU (backward_smem.cuh); Store, how gradients are written (tile_store.cuh).
//
// The members that compute are in backward_stages.cuh.
#pragma once

#include <cuda_bf16.h>

#include "plr/learn/cuda/impala/backward_smem.cuh"
#include "plr/learn/cuda/impala/buffers.h"
#include "plr/learn/cuda/impala/conv.cuh"
#include "plr/learn/cuda/impala/max_pool.cuh"
#include "plr/learn/cuda/impala/row_tile.cuh"
#include "plr/learn/cuda/impala/tile_store.cuh"

namespace plr::cuda::impala {

template <class Smem, bool RELU_SKIP, class Store>
struct Backward {
  using Stage1Rows = typename Smem::Stage1Rows;
  using Stage2Rows = typename Smem::Stage2Rows;
  using Stage3Rows = typename Smem::Stage3Rows;
  using Unpooled2 = typename Smem::Unpooled2;

  const TrainBuffers* buffers;
  Store output_grads;
  std::uint32_t memory;
  int image, thread, lane, warp;
  int g, q;                  // lane / 4 and lane % 4
  int tile_row, half;        // for ldmatrix, as in Forward
  ClusterHalo no_halo = {};  // an image is one thread block's
  typename Smem::Copies copies;

  __device__ Backward(const TrainBuffers* train_buffers, const Store& store, std::uint32_t shared)
      : buffers(train_buffers),
        output_grads(store),
        memory(shared),
        image(static_cast<int>(blockIdx.x)),
        thread(static_cast<int>(threadIdx.x)),
        lane(thread & 31),
        warp(thread >> 5),
        g(lane >> 2),
        q(lane & 3),
        tile_row(lane & 15),
        half((lane >> 4) * 16),
        copies(memory + Smem::kBarriers, thread) {}

  // Layers go from kLastLayer down to 1; the n-th of them uses slot n % kSlots of the copies.
  __device__ static int slot(int layer) { return (kLastLayer - layer) % Smem::kSlots; }
  __device__ void fetch_weights(int layer) const {
    const auto* from = reinterpret_cast<const std::uint8_t*>(buffers->mirrored_weights);
    copies.copy(slot(layer), memory + Smem::weights(layer), from + layer_offset(layer),
                layer_bytes(layer));
  }
  __device__ std::uint32_t wait_weights(int layer) const {
    copies.wait(slot(layer), (kLastLayer - layer) / Smem::kSlots & 1);
    return memory + Smem::weights(layer);
  }
  // Called when a warp has read the gradients of a layer's output, before it stores those of its
  // input: in place, all warps must have read them.  The next layer's weights have arrived then.
  __device__ void finish_reading() const {
    if constexpr (!Smem::kInPlace) return;
    copies.before_barrier();
    __syncthreads();
  }
  // Waits until every warp has finished a layer.
  __device__ void finish_layer(int layer) const {
    output_grads.before_barrier();
    __syncthreads();
    if (layer - Smem::kSlots >= Smem::kLastInRing) fetch_weights(layer - Smem::kSlots);
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
    copies.init();
    for (int layer = kLastLayer; layer > kLastLayer - Smem::kSlots; --layer) fetch_weights(layer);
    copies.copy(Smem::kSlots, memory + Smem::kArgmax3,
                buffers->pool_argmax[2] + image * (kArgmax3Bytes / 4), kArgmax3Bytes);
    copies.copy(Smem::kSlots + 1, memory + Smem::kArgmax2,
                buffers->pool_argmax[1] + image * (kArgmax2Bytes / 4), kArgmax2Bytes);
    __syncwarp();
    zero_halo<Stage3Rows>(memory + Smem::kA3, no_halo, thread, kTrainThreads);
    zero_halo<Stage2Rows>(memory + Smem::kA2, no_halo, thread, kTrainThreads);
    if constexpr (Smem::kInPlace) return;
    zero_halo<Stage3Rows>(memory + Smem::kB3, no_halo, thread, kTrainThreads);
    zero_halo<Stage2Rows>(memory + Smem::kB2, no_halo, thread, kTrainThreads);
    zero_halo<Unpooled2>(memory + Smem::kUnpooled2, no_halo, thread, kTrainThreads);
  }

  // From the gradient after a pool to that before it, which is the output gradient of `layer`.
  // Unpooled may have some of the channels, groups of eight from `first_group` on.
  template <class Pooled, class Unpooled>
  __device__ void max_unpool(int layer, std::uint32_t from, std::uint32_t to,
                             std::uint32_t argmax_address, int first_group = 0) const {
    constexpr int kSide = Pooled::kWidth;
    constexpr int kGroups = Unpooled::kChannels / 8;
    constexpr int kPooledGroups = Pooled::kChannels / 8;
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
          argmax[a][b] = is_inside
                             ? ld_shared_u32(argmax_address +
                                             (pixel * kPooledGroups + first_group + group) * 4)
                             : 0xffffffffU;
          ld_shared_v4(v[a][b], from + Pooled::offset(y + a, x + b) + (first_group + group) * 16);
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
    output_grads.before_barrier();
    __syncthreads();
    if constexpr (Unpooled::kChannels == Pooled::kChannels) {
      output_grads.template store<Unpooled>(layer, to);
    } else {
      output_grads.template store<Unpooled, Pooled::kChannels>(layer, to, 8 * first_group);
    }
  }

  __device__ void stage3(const std::uint32_t* features, const std::uint32_t* features_grad) const;
  __device__ void stage2() const;
  __device__ std::uint32_t unpooled2(int chunk) const;
  __device__ void stage1() const;
  __device__ void store_rows(std::uint32_t address, int layer, const float (&v)[4][2][4], int y,
                             int x) const;
};

}  // namespace plr::cuda::impala
