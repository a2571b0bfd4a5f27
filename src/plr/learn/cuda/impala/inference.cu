// Inference kernels of the IMPALA network on Hopper.
//
// conv_trunk: all convolutions.
//   Grid: a cluster of 1, 2 or 4 thread blocks per image; 512 threads per image.  Shared memory:
//   ForwardSmem.  A thread block owns a tile of rows of the image and exchanges halos with its
//   neighbors; forward_stages.cuh says which rows and channels a warp owns.
//
// heads_and_sample: hidden layer, heads and action sampling.
//   Grid: up to 8 clusters of 16 thread blocks, which loop over tiles of 16 images; 256 threads, 8
//   warps. Shared memory: HeadSmem.  Thread block r of a cluster multiplies slice r of the features
//   with its weights, which stay in registers, and finishes hidden units 16 r .. 16 r + 15; thread
//   block 0 finishes the heads and samples the actions, a warp per image.  The kernel starts while
//   conv_trunk runs, loads its weights, and waits.

#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/common/sample_action.cuh"
#include "plr/learn/cuda/common/take_item.cuh"
#include "plr/learn/cuda/impala/forward_stages.cuh"
#include "plr/learn/cuda/impala/hidden_slice.cuh"
#include "plr/learn/cuda/impala/inference.h"

namespace plr::cuda::impala {
namespace {

// ---- conv_trunk --------------------------------------------------------------------------------

// The largest batches for which clusters of 4 and of 2 thread blocks per image all run at once on
// the 132 multiprocessors of a Hopper; a cluster of 4 needs multiprocessors of one group, of which
// some are left.
constexpr int kMaxBatchOf4 = 32;
constexpr int kMaxBatchOf2 = 66;

// Registers are limited so that a thread block of heads_and_sample fits on the same multiprocessor.
template <int CLUSTER_SIZE, int SLOTS, bool RELU_SKIP>
__global__ void __maxnreg__(CLUSTER_SIZE == 1 ? 128 : 160)
    conv_trunk(InferenceJob job, const std::uint8_t* __restrict__ weights,
               const float* __restrict__ biases, __nv_bfloat16* __restrict__ features) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const Forward<ForwardSmem<CLUSTER_SIZE, SLOTS>, RELU_SKIP, NoSave> f({}, shared_address(shared),
                                                                       weights);
  f.start_copies(biases);
  const std::int64_t image = blockIdx.x / CLUSTER_SIZE;
  const collect::InferenceItem item = take_item(job, image, f.thread == 0, f.rank == 0);
  f.load_image(job.host_obs + item.slot * std::int64_t{kImageSize},
               history_of(job, item, kImageSize));
  launch_dependents();
  f.run(features + image * kNumFeatures);
}

template <int CLUSTER_SIZE, int SLOTS, bool RELU_SKIP>
void launch_trunk(const PackedWeights& packed, const InferenceJob& job, __nv_bfloat16* features,
                  cudaStream_t stream) {
  auto* kernel = conv_trunk<CLUSTER_SIZE, SLOTS, RELU_SKIP>;
  using Smem = ForwardSmem<CLUSTER_SIZE, SLOTS>;
  // Both kernels prefer the largest shared memory: thread blocks of the two share a multiprocessor
  // only if they agree on its size.
  require(kernel, {.shared_bytes = Smem::kTotal, .max_shared_carveout = true});
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {CLUSTER_SIZE, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(job.batch * CLUSTER_SIZE));
  config.blockDim = dim3(Smem::kThreads);
  config.dynamicSmemBytes = Smem::kTotal;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, job, reinterpret_cast<const std::uint8_t*>(packed.conv),
                           static_cast<const float*>(packed.conv_bias), features),
        "convolutions of the IMPALA network");
}

// Takes as many thread blocks per image as keep the device busy and run at once.
template <bool RELU_SKIP>
void launch_trunk(const PackedWeights& packed, const InferenceJob& job, __nv_bfloat16* features,
                  cudaStream_t stream) {
  if (job.batch <= kMaxBatchOf4) {
    launch_trunk<4, 2, RELU_SKIP>(packed, job, features, stream);
  } else if (job.batch <= kMaxBatchOf2) {
    launch_trunk<2, 3, RELU_SKIP>(packed, job, features, stream);
  } else {
    launch_trunk<1, 4, RELU_SKIP>(packed, job, features, stream);
  }
}

// ---- heads_and_sample --------------------------------------------------------------------------

constexpr int kMaxClusters = 8;
constexpr int kHeadThreads = 32 * kHiddenWarps;
constexpr int kUnitsPerBlock = kHiddenUnits / kHiddenBlocks;  // that a thread block finishes

struct HeadSmem {
  std::uint8_t features[kTileImages][kHiddenSlice * 2 + 16];
  float sums[kTileImages][kHiddenUnits + 8];  // over the thread block's slice of the features
  float hidden[kTileImages][kUnitsPerBlock + 1];
  float heads[kNumHeads][kUnitsPerBlock + 1];  // their weights for the thread block's units
  float partials[kHiddenBlocks][kTileImages][kNumHeads];  // collected in thread block 0
  float outputs[kTileImages][kNumHeads];
};

// The product of a tile's features with a warp's weights, 16 images x 32 units, into s.sums.
__device__ void multiply_tile(HeadSmem& s, const uint4 (&b)[kHiddenSteps][2], int warp, int lane) {
  float sum[4][4] = {};
  multiply_slice(sum, shared_address(&s.features[lane & 15][(lane >> 4) * 16]), b);
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    const int column = warp * 32 + n * 8 + 2 * (lane & 3);
    *reinterpret_cast<float2*>(&s.sums[lane >> 2][column]) = make_float2(sum[n][0], sum[n][1]);
    *reinterpret_cast<float2*>(&s.sums[(lane >> 2) + 8][column]) =
        make_float2(sum[n][2], sum[n][3]);
  }
}

__global__ void __maxnreg__(96)
    heads_and_sample(const __nv_bfloat16* __restrict__ features, Weights w,
                     const uint4* __restrict__ packed, InferenceJob job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  auto& s = *reinterpret_cast<HeadSmem*>(shared);
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread & 31;
  const int warp = thread >> 5;
  const int rank = cluster_rank();
  const int row = thread >> 4;   // an image of the tile
  const int unit = thread & 15;  // a hidden unit of the thread block, or a head

  uint4 b[kHiddenSteps][2];
  load_hidden_weights(b, packed, rank, warp, lane);
  const float* head = row < kNumActions ? w.policy + row * kHiddenUnits : w.value;
  s.heads[row][unit] = head[rank * kUnitsPerBlock + unit];
  const float hidden_bias = w.hidden_bias[rank * kUnitsPerBlock + unit];
  const float head_bias = unit < kNumActions ? w.policy_bias[unit] : w.value_bias[0];
  cluster_sync();  // all thread blocks of the cluster run
  grid_dependency_wait();

  const int num_tiles = (job.batch + kTileImages - 1) / kTileImages;
  const int num_clusters = static_cast<int>(gridDim.x) / kHiddenBlocks;
  for (int tile = static_cast<int>(blockIdx.x) / kHiddenBlocks; tile < num_tiles;
       tile += num_clusters) {
    const int image = tile * kTileImages + row;
    uint4 v = make_uint4(0, 0, 0, 0);
    if (image < job.batch) {
      v = *reinterpret_cast<const uint4*>(features +
                                          static_cast<std::int64_t>(image) * kNumFeatures +
                                          rank * kHiddenSlice + unit * 8);
    }
    *reinterpret_cast<uint4*>(&s.features[row][unit * 16]) = v;
    __syncthreads();
    multiply_tile(s, b, warp, lane);
    cluster_sync();

    // Reduces the slices of all thread blocks for this one's units, in order of ranks.
    float hidden = hidden_bias;
    const std::uint32_t mine = shared_address(&s.sums[row][rank * kUnitsPerBlock + unit]);
#pragma unroll
    for (int r = 0; r < kHiddenBlocks; ++r) hidden += ld_cluster(mapa(mine, r));
    s.hidden[row][unit] = fmaxf(hidden, 0.0F);
    __syncthreads();

    // What this thread block's units contribute to a head.
    float partial = 0;
#pragma unroll
    for (int u = 0; u < kUnitsPerBlock; ++u) partial += s.hidden[row][u] * s.heads[unit][u];
    st_cluster(mapa(shared_address(&s.partials[rank][row][unit]), 0), partial);
    cluster_sync();
    if (rank != 0) continue;

    // The other thread blocks may continue: they write partial sums only after the next
    // cluster_sync.
    float output = head_bias;
#pragma unroll
    for (int r = 0; r < kHiddenBlocks; ++r) output += s.partials[r][row][unit];
    s.outputs[row][unit] = output;
    __syncthreads();
    for (int i = warp; i < kTileImages; i += kHiddenWarps) {
      if (tile * kTileImages + i >= job.batch) break;
      sample_action(job, job.device_items[tile * kTileImages + i], s.outputs[i][lane & 15],
                    s.outputs[i][kNumActions]);
    }
  }
}

void launch_heads(const Weights& weights, const PackedWeights& packed, const InferenceJob& job,
                  const __nv_bfloat16* features, cudaStream_t stream) {
  constexpr int kBytes = sizeof(HeadSmem);
  // Clusters of more than 8 thread blocks are not portable; Hopper supports 16.
  require(heads_and_sample,
          {.shared_bytes = kBytes, .max_shared_carveout = true, .large_clusters = true});
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {kHiddenBlocks, 1, 1};
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  const int num_clusters = std::min((job.batch + kTileImages - 1) / kTileImages, kMaxClusters);
  config.gridDim = dim3(static_cast<unsigned>(num_clusters * kHiddenBlocks));
  config.blockDim = dim3(kHeadThreads);
  config.dynamicSmemBytes = kBytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = 2;
  check(cudaLaunchKernelEx(&config, heads_and_sample, features, weights,
                           reinterpret_cast<const uint4*>(packed.hidden), job),
        "heads of the IMPALA network");
}

}  // namespace

void infer(const Weights& weights, const PackedWeights& packed, bool relu_skip,
           const InferenceJob& job, const InferenceScratch& scratch, void* stream) {
  auto* bf16 = static_cast<__nv_bfloat16*>(scratch.features);
  const auto queue = static_cast<cudaStream_t>(stream);
  if (relu_skip) {
    launch_trunk<true>(packed, job, bf16, queue);
  } else {
    launch_trunk<false>(packed, job, bf16, queue);
  }
  launch_heads(weights, packed, job, bf16, queue);
}

}  // namespace plr::cuda::impala
