// What a forward pass saves for the backward pass: a policy class of Forward.
//
// NoSave, for inference, saves nothing.  SaveActivations writes to the training buffers
// (buffers.h): a layer's output from shared memory by Store (tile_store.cuh), the rest from
// registers.
#pragma once

#include "plr/learn/cuda/impala/buffers.h"

namespace plr::cuda::impala {

struct NoSave {
  static constexpr bool kSaves = false;
  template <class Word>
  __device__ void relu_mask(int, std::uint32_t) const {}
  __device__ void before_barrier() const {}
  template <class Tile>
  __device__ void store_input(int, std::uint32_t) const {}
};

template <class Store>
struct SaveActivations {
  static constexpr bool kSaves = true;
  const TrainBuffers* buffers;
  Store inputs;
  int image, thread;

  // The ReLU mask of the thread's numbers that enter a layer.
  template <class Word>
  __device__ void relu_mask(int layer, std::uint32_t bits) const {
    reinterpret_cast<Word*>(buffers->relu_masks[layer])[image * kTrainThreads + thread] =
        static_cast<Word>(bits);
  }
  // The argmax of channels 8 * group .. 8 * group + 7 of a pooled pixel.
  template <int POOL>
  __device__ void pool_argmax(int pixel, int group, std::uint32_t word) const {
    constexpr int kPixels = (32 >> POOL) * (32 >> POOL);
    constexpr int kGroups = POOL == 0 ? 2 : 4;
    buffers->pool_argmax[POOL][(image * kPixels + pixel) * kGroups + group] = word;
  }
  // Called before the barrier that ends a layer.  A tile is written again only after the next such
  // barrier.
  __device__ void before_barrier() const { inputs.before_barrier(); }
  // Called after that barrier: stores the input of a layer.
  template <class Tile>
  __device__ void store_input(int layer, std::uint32_t address) const {
    inputs.template store<Tile>(layer, address);
  }
};

}  // namespace plr::cuda::impala
