// Stores of whole images from a row tile to global memory, as bf16 [side][side][channels]: a policy
// class.
//
//   store.before_barrier();                    // by all threads
//   __syncthreads();                           // the tile is complete
//   store.store<Tile>(layer, address);         // by all threads
//   ...
//   store.before_barrier();
//   __syncthreads();                           // the tile may be overwritten
//
// TensorStore needs Hopper: the copy engine reads the tile.  ThreadStore runs on every GPU: all
// threads read it.
#pragma once

#include <cuda.h>

#include "plr/learn/cuda/common/ptx.cuh"

namespace plr::cuda::impala {

struct TensorStore {
  const CUtensorMap* maps;  // by layer
  int image, thread;

  __device__ void before_barrier() const {
    fence_proxy_async();
    if (thread == 0) cp_async_bulk_wait_read();
  }
  template <class Tile>
  __device__ void store(int layer, std::uint32_t address) const {
    if (thread == 0) cp_async_bulk_tensor_store(maps + layer, image, address + Tile::offset(0, 0));
  }
};

template <int THREADS>
struct ThreadStore {
  std::uint16_t* const* tensors;  // by layer
  int image, thread;

  __device__ void before_barrier() const {}
  // The tile may have some of the CHANNELS channels, from `first_channel` on.
  template <class Tile, int CHANNELS = Tile::kChannels>
  __device__ void store(int layer, std::uint32_t address, int first_channel = 0) const {
    constexpr int kWidth = Tile::kWidth;
    constexpr int kChunks = Tile::kChannels / 8;  // of 16 bytes
    static_assert(kWidth * kWidth * kChunks % THREADS == 0 || kWidth * kWidth * kChunks < THREADS);
    std::uint16_t* to = tensors[layer] + image * (kWidth * kWidth * CHANNELS) + first_channel;
#pragma unroll
    for (int i = thread; i < kWidth * kWidth * kChunks; i += THREADS) {
      const int chunk = i % kChunks;
      const int pixel = i / kChunks;
      std::uint32_t v[4];
      ld_shared_v4(v, address + Tile::offset(pixel / kWidth, pixel % kWidth) + chunk * 16);
      *reinterpret_cast<uint4*>(to + pixel * CHANNELS + chunk * 8) =
          make_uint4(v[0], v[1], v[2], v[3]);
    }
  }
};

}  // namespace plr::cuda::impala
