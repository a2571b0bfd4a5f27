// What of a pass forward is kept for the way back?
//
// Nothing by an agent that acts.  One that learns puts it on the tape (impala/buffers.h): a layer's
// output by tensor copies straight from shared memory, the rest from registers.
#pragma once

#include <cuda.h>

#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/impala/buffers.h"

namespace plr::cuda::impala {

struct KeepNothing {
  static constexpr bool kKeeps = false;
  template <class Word>
  __device__ void mask(int, std::uint32_t) const {}
  __device__ void prepare() const {}
  __device__ void send(int, std::uint32_t) const {}
};

struct KeepOnTape {
  static constexpr bool kKeeps = true;
  const TrainBuffers* tape;
  const CUtensorMap* maps;  // of the inputs, by layer
  int image, thread;

  // Bits of the numbers that are about to enter a layer.
  template <class Word>
  __device__ void mask(int layer, std::uint32_t bits) const {
    reinterpret_cast<Word*>(tape->masks[layer])[image * kLearnThreads + thread] =
        static_cast<Word>(bits);
  }
  // Eight places, of the channels 8 * group .. 8 * group + 7 of a pooled pixel.
  template <int POOL>
  __device__ void places(int pixel, int group, std::uint32_t word) const {
    constexpr int kPixels = (32 >> POOL) * (32 >> POOL);
    constexpr int kGroups = POOL == 0 ? 2 : 4;
    tape->places[POOL][(image * kPixels + pixel) * kGroups + group] = word;
  }
  // Before the barrier that ends a layer; and after it, by one thread: the layer's output, whose
  // pixel (0, 0) is at `from`, leaves.  A buffer is written again after the next such barrier, when
  // what left it has been read.
  __device__ void prepare() const {
    fence_copies();
    if (thread == 0) wait_until_sent();
  }
  __device__ void send(int layer, std::uint32_t from) const {
    tensor_store(maps + layer, image, from);
  }
};

}  // namespace plr::cuda::impala
