// Reduces the partial sums of a number that many thread blocks have written, in a fixed order.
//
// A thread block of 256 threads reduces 32 numbers, one per lane.  Each of its 8 warps sums one
// slice of the partial sums; warp 0 then adds the 8 slice sums in order:
//
//   const float sum = reduce_partials<SliceOrder::kContiguous>(partials, stride, count, is_inside);
//   if (slice == 0 && is_inside) gradient[i] += sum;
//
// The two networks divide the partial sums into slices in two ways.  Both are kept, since another
// order would change the bits of the sums.
#pragma once

#include <cstdint>

namespace plr::cuda {

inline constexpr int kReduceSlices = 8;
inline constexpr int kReduceWidth = 32;  // numbers of a thread block
inline constexpr int kReduceThreads = kReduceSlices * kReduceWidth;

enum class SliceOrder {
  kContiguous,   // slice s has the s-th eighth of the partial sums
  kInterleaved,  // slice s has the partial sums s, s + 8, s + 16, ...
};

// Returns the sum of partials[0], partials[stride], ..., `count` of them, in warp 0; the other
// warps return the sum of their slice.  `partials` points to this lane's number and is read only if
// `is_inside`.  All threads of the thread block must call it, once per launch.
template <SliceOrder ORDER>
__device__ inline float reduce_partials(const float* partials, std::int64_t stride, int count,
                                        bool is_inside) {
  __shared__ float slice_sums[kReduceSlices][kReduceWidth];
  const int lane = static_cast<int>(threadIdx.x) % kReduceWidth;
  const int slice = static_cast<int>(threadIdx.x) / kReduceWidth;
  constexpr bool kIsContiguous = ORDER == SliceOrder::kContiguous;
  float sum = 0;
  if (is_inside) {
    const int per_slice = (count + kReduceSlices - 1) / kReduceSlices;
    const int begin = kIsContiguous ? slice * per_slice : slice;
    const int end = kIsContiguous ? min((slice + 1) * per_slice, count) : count;
#pragma unroll 8
    for (int i = begin; i < end; i += kIsContiguous ? 1 : kReduceSlices) {
      sum += partials[i * stride];
    }
  }
  slice_sums[slice][lane] = sum;
  __syncthreads();
  if (slice != 0) return sum;
#pragma unroll
  for (int s = 1; s < kReduceSlices; ++s) sum += slice_sums[s][lane];
  return sum;
}

}  // namespace plr::cuda
