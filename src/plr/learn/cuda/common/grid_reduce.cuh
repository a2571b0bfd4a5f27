// Sums over all thread blocks of a launch, always taken in the same order.
//
// Each thread block reduces its own share and stores it as a partial sum.  The thread block that
// finishes last reads all partial sums in order of thread blocks:
//
//   block_sum<kThreads>(sums);                       // thread 0 has the sums
//   if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
//   if (!is_last_block(blocks_done)) return;
//   ...                                              // all partials are visible, read with __ldcg
//
// block_sum() is not cub::BlockReduce: CUB adds lanes in another order, which would change the bits
// of every training run.
#pragma once

namespace plr::cuda {

// Sums x over the thread block; thread 0 has the results.  Every thread must call it.
template <int THREADS, int N>
__device__ inline void block_sum(float (&x)[N]) {
  __shared__ float warp_sums[THREADS / 32][N];
#pragma unroll
  for (int k = 0; k < N; ++k) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) x[k] += __shfl_xor_sync(0xffffffffU, x[k], step);
    if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32][k] = x[k];
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < THREADS / 32; ++warp) {
    for (int k = 0; k < N; ++k) x[k] += warp_sums[warp][k];
  }
}

// Returns whether all other thread blocks of this launch have called it before; what they wrote is
// then visible.  `blocks_done` is 0 before the first launch and after each.
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
