// What the forward and the backward kernel of the recurrence share.
//
// A cluster of UNITS / 16 thread blocks of 128 threads computes 8 sequences.  Thread block r has
// units 16 r .. 16 r + 15, with all four gates; each of its threads has one unit of one sequence.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/lstm/activations.cuh"
#include "plr/learn/cuda/lstm/numbers.cuh"
#include "plr/learn/cuda/lstm/recurrence.h"

namespace plr::cuda::lstm {

inline constexpr int kSequences = 8;  // of a cluster
inline constexpr int kBlockUnits = 16;
inline constexpr int kThreads = kSequences * kBlockUnits;

// A row of four numbers as operands of a matrix product: 16 bytes if they are split, else 8.
template <bool SPLIT>
struct Quad;
template <>
struct Quad<true> {
  uint4 v;  // big halves of the first two and of the last two, then small ones
};
template <>
struct Quad<false> {
  uint2 v;
};

// Offset of a quad of a row, one of 8 sequences, in bytes.  The same quad of all rows is contiguous,
// so that it is sent as a whole.  Rows are permuted, so that lanes that read four quads of eight
// rows have no bank conflicts.
template <bool SPLIT>
__device__ inline int quad_offset(int row, int quad) {
  const int permuted = SPLIT ? row ^ 2 * (quad % 4) : row ^ 4 * (quad / 2 % 2);
  return (quad * kSequences + permuted) * static_cast<int>(sizeof(Quad<SPLIT>));
}

__device__ inline Quad<true> load_quad(std::uint32_t address, Quad<true>) {
  std::uint32_t v[4];
  ld_shared_v4(v, address);
  return {{v[0], v[1], v[2], v[3]}};
}
__device__ inline Quad<false> load_quad(std::uint32_t address, Quad<false>) {
  Quad<false> quad;
  ld_shared_v2(quad.v.x, quad.v.y, address);
  return quad;
}
__device__ inline void store_quad(std::uint32_t address, const Quad<true>& quad) {
  const std::uint32_t v[4] = {quad.v.x, quad.v.y, quad.v.z, quad.v.w};
  st_shared_v4(address, v);
}
__device__ inline void store_quad(std::uint32_t address, const Quad<false>& quad) {
  st_shared_v2(address, quad.v.x, quad.v.y);
}

// Launches a kernel of clusters, one per 8 sequences.
template <class... Params, class... Args>
void launch_clusters(void (*kernel)(Params...), const RecurrentPass& pass, int shared_bytes,
                     void* stream, const char* what, const Args&... args) {
  const int blocks = pass.units / kBlockUnits;
  const int clusters = (pass.sequences + kSequences - 1) / kSequences;
  if (clusters == 0 || pass.steps == 0) return;
  require(kernel, {.shared_bytes = shared_bytes, .large_clusters = blocks > 8});
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(clusters * blocks));
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = static_cast<cudaStream_t>(stream);
  config.attrs = &cluster;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, args...), what);
}

}  // namespace plr::cuda::lstm
