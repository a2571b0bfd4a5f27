// How is a sum taken over many blocks in one launch, always in the same order?
//
// Every block sums its own part and writes it down; whichever comes last reads all parts in order:
//
//   block_sum<kThreads>(sums);                       // thread 0 holds them
//   if (threadIdx.x == 0) parts[blockIdx.x] = sums[0];
//   if (!is_last_block(blocks_done)) return;
//   ...                                              // all parts can be read, by __ldcg
#pragma once

namespace plr::cuda {

// The sums over all threads of a block, in thread 0; every thread calls it.
template <int THREADS, int N>
__device__ inline void block_sum(float (&x)[N]) {
  __shared__ float of_warps[THREADS / 32][N];
#pragma unroll
  for (int k = 0; k < N; ++k) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) x[k] += __shfl_xor_sync(0xffffffffU, x[k], step);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32][k] = x[k];
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < THREADS / 32; ++warp) {
    for (int k = 0; k < N; ++k) x[k] += of_warps[warp][k];
  }
}

// Whether all other blocks of this launch have come here before: what they wrote is then visible.
// `blocks_done` is 0 before the first launch and after each.
__device__ inline bool is_last_block(unsigned* blocks_done) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(blocks_done, 1) == gridDim.x - 1;
    if (is_last) *blocks_done = 0;
  }
  __syncthreads();
  __threadfence();
  return is_last;
}

}  // namespace plr::cuda
