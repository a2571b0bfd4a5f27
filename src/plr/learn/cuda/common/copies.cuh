// Copies of arrays from global to shared memory that are started ahead of time: a policy class.
//
// Every copy has a slot.  A slot is used again only after its last copies were waited for:
//
//   const Copies copies(barriers, thread);     // the address of kBytes in shared memory
//   copies.init();
//   copies.copy(slot, to, from, bytes);        // by all threads; multiples of 16 bytes
//   copies.before_barrier();
//   __syncthreads();
//   copies.wait(slot, parity);                 // of the number of earlier uses of this slot
//
// BulkCopies needs Hopper: the copy engine moves the bytes, and a barrier per slot counts them, so
// that a copy may be in flight over many barriers of the thread block.  AsyncCopies runs on every
// GPU since Ampere: all threads copy with cp.async, and before_barrier() waits for all of them.
#pragma once

#include "plr/learn/cuda/common/ptx.cuh"

namespace plr::cuda {

// COPIES: the copies of each use of a slot.
template <int SLOTS, int COPIES = 1>
struct BulkCopies {
  static constexpr int kBytes = SLOTS * 8;  // of its barriers

  std::uint32_t barriers;
  int thread;

  __device__ BulkCopies(std::uint32_t address, int thread_index)
      : barriers(address), thread(thread_index) {}
  // Makes other barriers visible, too, that this thread has initialized before.
  __device__ void init() const {
    if (thread == 0) {
      for (int slot = 0; slot < SLOTS; ++slot) mbarrier_init(barriers + slot * 8, COPIES);
      fence_mbarrier_init();
    }
    __syncwarp();
  }
  __device__ void copy(int slot, std::uint32_t to, const void* from, int bytes) const {
    if (thread == 0) expect_and_cp_async_bulk(to, from, bytes, barriers + slot * 8);
  }
  __device__ void before_barrier() const {}
  __device__ void wait(int slot, int parity) const { mbarrier_wait(barriers + slot * 8, parity); }
};

template <int THREADS>
struct AsyncCopies {
  static constexpr int kBytes = 0;

  int thread;

  __device__ AsyncCopies(std::uint32_t, int thread_index) : thread(thread_index) {}
  __device__ void init() const {}
  __device__ void copy(int, std::uint32_t to, const void* from, int bytes) const {
    const auto* source = static_cast<const std::uint8_t*>(from);
    for (int i = thread * 16; i < bytes; i += THREADS * 16) cp_async_16(to + i, source + i);
  }
  __device__ void before_barrier() const { cp_async_wait_all(); }
  __device__ void wait(int, int) const {}
};

}  // namespace plr::cuda
