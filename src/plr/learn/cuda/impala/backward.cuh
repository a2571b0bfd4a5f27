// How do gradients come back from the features to the first layer's pool?
//
// By the convolutions of impala/conv.cuh with mirrored weights, in the forward pass's order
// reversed.  A block of 16 warps takes an image; the gradient that skips the network's blocks stays
// in registers, in fp32.
//
//   shared memory:  A3 B3 | A2 B2 | Q | ring of kSlots layers' weights | places | barriers
//
// Un-pooled gradients lie in B2 and Q; the first stage takes the place of the others for its A and
// Q for its B.  The gradient of every layer's output goes to the tape: by tensor copies, but in the
// first stage, where pixels are small, faster from registers.
#pragma once

#include <cuda_bf16.h>

#include "plr/learn/cuda/impala/conv.cuh"
#include "plr/learn/cuda/impala/max_pool.cuh"
#include "plr/learn/cuda/impala/row_tile.cuh"
#include "plr/learn/cuda/impala/tensor_maps.h"

namespace plr::cuda::impala {

struct BackwardMemory {
  using Band1 = Band<32, 32, 16>;
  using Band2 = Band<16, 16, 32>;
  using Band3 = Band<8, 8, 32>;
  using Wide2 = Band<32, 32, 32>;  // the gradient before the second pool
  static constexpr int kSlots = 3;
  static constexpr int kA3 = 0;
  static constexpr int kB3 = kA3 + Band3::kBytes;
  static constexpr int kA2 = kB3 + Band3::kBytes;
  static constexpr int kB2 = kA2 + Band2::kBytes;
  static constexpr int kQ = kB2 + Band2::kBytes;
  static constexpr int kA1 = 0;
  static constexpr int kB1 = kQ;
  static constexpr int kWide3 = kB2;
  static constexpr int kWide2 = kQ;
  static_assert(Band1::kBytes <= kQ && Band1::kBytes <= Wide2::kBytes);
  static constexpr int kRing = kQ + Wide2::kBytes;
  static constexpr int kPlaces3 = kRing + kSlots * kLargestLayer;
  static constexpr int kPlaces3Bytes = 8 * 8 * 4 * 4;
  static constexpr int kPlaces2 = kPlaces3 + kPlaces3Bytes;
  static constexpr int kPlaces2Bytes = 16 * 16 * 4 * 4;
  static constexpr int kBarriers = kPlaces2 + kPlaces2Bytes;
  static constexpr int kTotal = kBarriers + (kSlots + 1) * 8;
  static_assert(kTotal <= 227 * 1024, "a Hopper has no more");
};

template <bool RELU_SKIP>
struct Backward {
  using M = BackwardMemory;
  using Band1 = M::Band1;
  using Band2 = M::Band2;
  using Band3 = M::Band3;
  using Wide2 = M::Wide2;

  const TrainBuffers* tape;
  const CUtensorMap* maps;  // of the gradients, by layer
  std::uint32_t memory;
  int image, thread, lane, warp;
  int g, q;            // lane / 4 and lane % 4
  int tile_row, half;  // for matrix loads, as in Seer
  Neighbours alone = {};

  __device__ Backward(const TrainBuffers* given, const CUtensorMap* gradients, std::uint32_t shared)
      : tape(given),
        maps(gradients),
        memory(shared),
        image(static_cast<int>(blockIdx.x)),
        thread(static_cast<int>(threadIdx.x)),
        lane(thread & 31),
        warp(thread >> 5),
        g(lane >> 2),
        q(lane & 3),
        tile_row(lane & 15),
        half((lane >> 4) * 16) {}

  // Layers go from 14 down to 1; the n-th of them has slot n % kSlots.
  __device__ std::uint32_t barrier(int slot) const { return memory + M::kBarriers + slot * 8; }
  __device__ static int slot_of(int layer) { return (14 - layer) % M::kSlots; }
  __device__ void fetch(int layer) const {
    const auto* from = reinterpret_cast<const std::uint8_t*>(tape->mirrored_weights);
    bulk_load(memory + M::kRing + slot_of(layer) * kLargestLayer, from + layer_offset(layer),
              layer_bytes(layer), barrier(slot_of(layer)));
  }
  __device__ std::uint32_t acquire(int layer) const {
    barrier_wait(barrier(slot_of(layer)), (14 - layer) / M::kSlots & 1);
    return memory + M::kRing + slot_of(layer) * kLargestLayer;
  }
  // Every warp is done with a layer.
  __device__ void finish(int layer) const {
    fence_copies();
    if (thread == 0) wait_until_sent();
    __syncthreads();
    if (thread == 0 && layer - M::kSlots >= 1) fetch(layer - M::kSlots);
  }
  // The gradient of a layer's output leaves from `band`, after a barrier.  It is written again
  // after the next one, when it has been read.
  template <class B>
  __device__ void send(int layer, std::uint32_t band) const {
    if (thread == 0) tensor_store(maps + layer, image, band + B::offset(0, 0));
  }
  template <class Word>
  __device__ std::uint32_t mask(int layer) const {
    return reinterpret_cast<const Word*>(tape->masks[layer])[image * kLearnThreads + thread];
  }
  // What comes back through a block of the network is added to what skips it.
  template <int N>
  __device__ static void add_change(float* x, float* change, std::uint32_t positive) {
    if constexpr (!RELU_SKIP) keep_positive<N>(change, positive);
#pragma unroll
    for (int i = 0; i < N; ++i) x[i] += change[i];
    if constexpr (RELU_SKIP) keep_positive<N>(x, positive);
  }

  __device__ void begin() const {
    if (thread == 0) {
      for (int slot = 0; slot <= M::kSlots; ++slot) barrier_init(barrier(slot), 1);
      fence_barriers();
      for (int layer = 14; layer > 14 - M::kSlots; --layer) fetch(layer);
      const std::uint32_t arrival = barrier(M::kSlots);
      barrier_expect(arrival, M::kPlaces3Bytes + M::kPlaces2Bytes);
      bulk_copy(memory + M::kPlaces3, tape->places[2] + image * (M::kPlaces3Bytes / 4),
                M::kPlaces3Bytes, arrival);
      bulk_copy(memory + M::kPlaces2, tape->places[1] + image * (M::kPlaces2Bytes / 4),
                M::kPlaces2Bytes, arrival);
    }
    __syncwarp();
    zero_halo<Band3>(memory + M::kA3, alone, thread, kLearnThreads);
    zero_halo<Band3>(memory + M::kB3, alone, thread, kLearnThreads);
    zero_halo<Band2>(memory + M::kA2, alone, thread, kLearnThreads);
    zero_halo<Band2>(memory + M::kB2, alone, thread, kLearnThreads);
    zero_halo<Wide2>(memory + M::kWide2, alone, thread, kLearnThreads);
  }

  // From the gradient of the pooled map to that of what was pooled.
  template <class Pooled, class Wide>
  __device__ void unpool(int layer, std::uint32_t from, std::uint32_t to,
                         std::uint32_t places_at) const {
    constexpr int kSide = Pooled::kWidth;
    constexpr int kGroups = Pooled::kChannels / 8;
    for (int i = thread; i < kSide * kSide * kGroups; i += kLearnThreads) {
      const int group = i % kGroups;
      const int x = i / kGroups % kSide;
      const int y = i / kGroups / kSide;
      std::uint32_t v[2][2][4];
      std::uint32_t places[2][2];
#pragma unroll
      for (int a = 0; a < 2; ++a) {
#pragma unroll
        for (int b = 0; b < 2; ++b) {
          const bool is_inside = y + a < kSide && x + b < kSide;
          const int pixel = (y + a) * kSide + x + b;
          places[a][b] =
              is_inside ? load32(places_at + (pixel * kGroups + group) * 4) : 0xffffffffU;
          load128(v[a][b], from + Pooled::offset(y + a, x + b) + group * 16);
        }
      }
      std::uint32_t out[2][2][4];
      unpool_quad(out, v, places);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        store128(to + Wide::offset(2 * y + k / 2, 2 * x + k % 2) + group * 16, out[k / 2][k % 2]);
      }
    }
    fence_copies();
    if (thread == 0) wait_until_sent();
    __syncthreads();
    send<Wide>(layer, to);
  }

  __device__ void stage3(const std::uint32_t* features, const std::uint32_t* d_features) const;
  __device__ void stage2() const;
  __device__ void stage1() const;
  __device__ void store_rows(std::uint32_t band, int layer, const float (&v)[4][2][4], int y,
                             int x) const;
};

}  // namespace plr::cuda::impala
