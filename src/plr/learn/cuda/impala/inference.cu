#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/sample_action.cuh"
#include "plr/learn/cuda/impala/forward_stages.cuh"
#include "plr/learn/cuda/impala/inference.h"

namespace plr::cuda::impala {
namespace {

// ---- see ---------------------------------------------------------------------------------------

// Registers are few enough that a block of `decide` fits beside one of these.
template <int BLOCKS, int SLOTS, bool RELU_SKIP>
__global__ void __maxnreg__(BLOCKS == 1 ? 128 : 160)
    see(InferenceJob job, const std::uint8_t* __restrict__ weights,
        const float* __restrict__ biases, __nv_bfloat16* __restrict__ features) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const Seer<BLOCKS, SLOTS, RELU_SKIP, KeepNothing> s({}, shared_address(shared), weights);
  s.begin(biases);
  const std::int64_t image = blockIdx.x / BLOCKS;
  if (s.thread == 32 && s.rank == 0) job.device_uniforms[image] = job.uniforms[image];
  s.take_image(job.obs + image * kImageNumbers);
  let_next_kernel_start();
  s.see(features + image * kNumFeatures);
}

template <int BLOCKS, int SLOTS, bool RELU_SKIP>
void launch_see(const PackedWeights& packed, const InferenceJob& job, __nv_bfloat16* features,
                cudaStream_t stream) {
  auto* kernel = see<BLOCKS, SLOTS, RELU_SKIP>;
  using M = SeeMemory<BLOCKS, SLOTS>;
  // Both kernels ask for all shared memory that there is: blocks of the two share a processor only
  // if they agree on how much of its cache that is.
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, M::kTotal);
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                       cudaSharedmemCarveoutMaxShared);
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {BLOCKS, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(job.batch * BLOCKS));
  config.blockDim = dim3(M::kThreads);
  config.dynamicSmemBytes = M::kTotal;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, job, reinterpret_cast<const std::uint8_t*>(packed.conv),
                           static_cast<const float*>(packed.conv_bias), features),
        "seeing");
}

// As many blocks an image as keep the device busy and run at once.
template <bool RELU_SKIP>
void launch_see(const PackedWeights& packed, const InferenceJob& job, __nv_bfloat16* features,
                cudaStream_t stream) {
  if (job.batch <= 32) {
    launch_see<4, 2, RELU_SKIP>(packed, job, features, stream);
  } else if (job.batch <= 66) {
    launch_see<2, 3, RELU_SKIP>(packed, job, features, stream);
  } else {
    launch_see<1, 4, RELU_SKIP>(packed, job, features, stream);
  }
}

// ---- decide ------------------------------------------------------------------------------------

constexpr int kRows = 16;  // images that a cluster takes at a time
constexpr int kDecideThreads = 32 * kHiddenWarps;
constexpr int kUnitsEach = kHiddenUnits / kHiddenBlocks;  // hidden units that a block finishes

struct DecideMemory {
  std::uint8_t features[kRows][kHiddenSlice * 2 + 16];
  float sums[kRows][kHiddenUnits + 8];  // over the block's slice of the features
  float hidden[kRows][kUnitsEach + 1];
  float heads[kNumHeads][kUnitsEach + 1];        // their weights for the block's units
  float parts[kHiddenBlocks][kRows][kNumHeads];  // gathered in block 0
  float outputs[kRows][kNumHeads];
};

// Block r of a cluster multiplies slice r of the features with its weights, which stay in
// registers, and finishes hidden units 16 r .. 16 r + 15; block 0 finishes the heads and decides.
// It begins beside `see`, fetches its weights, and waits.
__global__ void __maxnreg__(96) decide_all(const __nv_bfloat16* __restrict__ features, Weights w,
                                           const uint4* __restrict__ packed, InferenceJob job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  auto& s = *reinterpret_cast<DecideMemory*>(shared);
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread & 31;
  const int warp = thread >> 5;
  const int rank = cluster_rank();
  const int row = thread >> 4;   // an image of the tile
  const int unit = thread & 15;  // a hidden unit of the block, or a head

  uint4 b[kHiddenSteps][2];
  const uint4* from = packed + (rank * kHiddenWarps + warp) * kHiddenSteps * 2 * 32 + lane;
#pragma unroll
  for (int k = 0; k < kHiddenSteps; ++k) {
    b[k][0] = __ldg(from + 2 * k * 32);
    b[k][1] = __ldg(from + (2 * k + 1) * 32);
  }
  const float* head = row < kNumActions ? w.policy + row * kHiddenUnits : w.value;
  s.heads[row][unit] = head[rank * kUnitsEach + unit];
  const float hidden_bias = w.hidden_bias[rank * kUnitsEach + unit];
  const float head_bias = unit < kNumActions ? w.policy_bias[unit] : w.value_bias[0];
  cluster_sync();  // all its blocks run
  wait_for_last_kernel();

  const int num_tiles = (job.batch + kRows - 1) / kRows;
  const int num_clusters = static_cast<int>(gridDim.x) / kHiddenBlocks;
  for (int tile = static_cast<int>(blockIdx.x) / kHiddenBlocks; tile < num_tiles;
       tile += num_clusters) {
    const int image = tile * kRows + row;
    uint4 v = make_uint4(0, 0, 0, 0);
    if (image < job.batch) {
      v = *reinterpret_cast<const uint4*>(features +
                                          static_cast<std::int64_t>(image) * kNumFeatures +
                                          rank * kHiddenSlice + unit * 8);
    }
    *reinterpret_cast<uint4*>(&s.features[row][unit * 16]) = v;
    __syncthreads();

    float sum[4][4] = {};
    const std::uint32_t place = shared_address(&s.features[lane & 15][(lane >> 4) * 16]);
#pragma unroll
    for (int k = 0; k < kHiddenSteps; ++k) {
      std::uint32_t a[4];
      load_matrix(a, place + k * 32);
      mma(sum[0], a, b[k][0].x, b[k][0].y);
      mma(sum[1], a, b[k][0].z, b[k][0].w);
      mma(sum[2], a, b[k][1].x, b[k][1].y);
      mma(sum[3], a, b[k][1].z, b[k][1].w);
    }
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const int column = warp * 32 + n * 8 + 2 * (lane & 3);
      *reinterpret_cast<float2*>(&s.sums[lane >> 2][column]) = make_float2(sum[n][0], sum[n][1]);
      *reinterpret_cast<float2*>(&s.sums[(lane >> 2) + 8][column]) =
          make_float2(sum[n][2], sum[n][3]);
    }
    cluster_sync();

    float hidden = hidden_bias;
    const std::uint32_t mine = shared_address(&s.sums[row][rank * kUnitsEach + unit]);
#pragma unroll
    for (int r = 0; r < kHiddenBlocks; ++r) hidden += load_from_cluster(address_in(mine, r));
    s.hidden[row][unit] = fmaxf(hidden, 0.0F);
    __syncthreads();

    float part = 0;
#pragma unroll
    for (int u = 0; u < kUnitsEach; ++u) part += s.hidden[row][u] * s.heads[unit][u];
    store_in_cluster(address_in(shared_address(&s.parts[rank][row][unit]), 0), part);
    cluster_sync();
    if (rank != 0) continue;

    // The others may go on: they write parts again only after the next cluster_sync.
    float output = head_bias;
#pragma unroll
    for (int r = 0; r < kHiddenBlocks; ++r) output += s.parts[r][row][unit];
    s.outputs[row][unit] = output;
    __syncthreads();
    for (int i = warp; i < kRows; i += kHiddenWarps) {
      if (tile * kRows + i >= job.batch) break;
      decide(job, tile * kRows + i, s.outputs[i][lane & 15], s.outputs[i][kNumActions]);
    }
  }
}

void launch_decide(const Weights& weights, const PackedWeights& packed, const InferenceJob& job,
                   const __nv_bfloat16* features, cudaStream_t stream) {
  constexpr int kBytes = sizeof(DecideMemory);
  cudaFuncSetAttribute(decide_all, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  cudaFuncSetAttribute(decide_all, cudaFuncAttributePreferredSharedMemoryCarveout,
                       cudaSharedmemCarveoutMaxShared);
  // Clusters of more than 8 blocks are not promised on every device; on Hopper they are there.
  cudaFuncSetAttribute(decide_all, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {kHiddenBlocks, 1, 1};
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  const int num_clusters = std::min((job.batch + kRows - 1) / kRows, 8);
  config.gridDim = dim3(static_cast<unsigned>(num_clusters * kHiddenBlocks));
  config.blockDim = dim3(kDecideThreads);
  config.dynamicSmemBytes = kBytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = 2;
  check(cudaLaunchKernelEx(&config, decide_all, features, weights,
                           reinterpret_cast<const uint4*>(packed.hidden), job),
        "deciding");
}

}  // namespace

void infer(const Weights& weights, const PackedWeights& packed, bool relu_skip,
           const InferenceJob& job, void* features, void* stream) {
  auto* bf16 = static_cast<__nv_bfloat16*>(features);
  const auto queue = static_cast<cudaStream_t>(stream);
  if (relu_skip) {
    launch_see<true>(packed, job, bf16, queue);
  } else {
    launch_see<false>(packed, job, bf16, queue);
  }
  launch_decide(weights, packed, job, bf16, queue);
}

}  // namespace plr::cuda::impala
