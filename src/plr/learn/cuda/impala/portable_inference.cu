// Inference kernels of the IMPALA network on every GPU since Ampere: as inference.cu, without
// clusters.
//
// conv_trunk: all convolutions.
//   Grid: a thread block per image.  Block: 512 threads.  Shared memory: PortableForwardSmem.
//   forward_stages.cuh says which rows and channels a warp owns.
//
// hidden_slices: partial sums of the hidden layer.
//   Grid: x is a slice of the features, y a tile of 16 images.  Block: 256 threads, 8 warps, which
//   share the units.  Shared memory: the tile's slice of the features.
//
// heads_and_sample: the rest of the hidden layer, heads and action sampling.
//   Grid: a thread block per image.  Block: 256 threads, a hidden unit each.  Shared memory: 2 KB.
//
// Slices, units and heads are added in the order of inference.cu, so that results are bitwise
// identical.

#include <cuda_runtime.h>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/common/sample_action.cuh"
#include "plr/learn/cuda/common/take_item.cuh"
#include "plr/learn/cuda/impala/forward_stages.cuh"
#include "plr/learn/cuda/impala/hidden_slice.cuh"
#include "plr/learn/cuda/impala/inference.h"

namespace plr::cuda::impala::portable {
namespace {

using Smem = PortableForwardSmem;
constexpr int kHeadThreads = kHiddenUnits;
static_assert(kHeadThreads == 32 * kHiddenWarps);

template <bool RELU_SKIP>
__global__ void __launch_bounds__(Smem::kThreads, 1)
    conv_trunk(InferenceJob job, const std::uint32_t* __restrict__ weights,
               const float* __restrict__ biases, __nv_bfloat16* __restrict__ features) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const Forward<Smem, RELU_SKIP, NoSave> f({}, shared_address(shared), weights);
  f.start_copies(biases);
  const std::int64_t image = blockIdx.x;
  const collect::InferenceItem item = take_item(job, image, f.thread == 0, /*copies=*/true);
  f.load_image(job.host_obs + item.slot * std::int64_t{kImageSize},
               history_of(job, item, kImageSize));
  f.run(features + image * kNumFeatures);
}

// partials: [slice][image][unit].
__global__ void __launch_bounds__(kHeadThreads)
    hidden_slices(const __nv_bfloat16* __restrict__ features, const uint4* __restrict__ packed,
                  float* __restrict__ partials, int batch) {
  __shared__ __align__(16) std::uint8_t tile[kTileImages][kHiddenSlice * 2 + 16];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread & 31;
  const int warp = thread >> 5;
  const int slice = static_cast<int>(blockIdx.x);
  const int first_image = static_cast<int>(blockIdx.y) * kTileImages;
  uint4 b[kHiddenSteps][2];
  load_hidden_weights(b, packed, slice, warp, lane);
  const int row = thread >> 4;
  const int chunk = thread & 15;  // of 16 bytes
  uint4 v = make_uint4(0, 0, 0, 0);
  if (first_image + row < batch) {
    v = *reinterpret_cast<const uint4*>(
        features + static_cast<std::int64_t>(first_image + row) * kNumFeatures +
        slice * kHiddenSlice + chunk * 8);
  }
  *reinterpret_cast<uint4*>(&tile[row][chunk * 16]) = v;
  __syncthreads();
  float sum[4][4] = {};
  multiply_slice(sum, shared_address(&tile[lane & 15][(lane >> 4) * 16]), b);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int image = first_image + (lane >> 2) + 8 * half;
    if (image >= batch) break;
    float* to = partials + (static_cast<std::int64_t>(slice) * batch + image) * kHiddenUnits +
                warp * 32 + 2 * (lane & 3);
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      *reinterpret_cast<float2*>(to + n * 8) = make_float2(sum[n][2 * half], sum[n][2 * half + 1]);
    }
  }
}

__global__ void __launch_bounds__(kHeadThreads)
    heads_and_sample(const float* __restrict__ partials, Weights w, InferenceJob job) {
  constexpr int kUnits = kHiddenUnits / kHiddenBlocks;  // that are added to a head at a time
  __shared__ float hidden[kHiddenUnits];
  __shared__ float sums[kHiddenBlocks][kNumHeads];
  __shared__ float outputs[kNumHeads];
  const int thread = static_cast<int>(threadIdx.x);
  const int image = static_cast<int>(blockIdx.x);
  float unit = w.hidden_bias[thread];
#pragma unroll
  for (int slice = 0; slice < kHiddenBlocks; ++slice) {
    unit +=
        partials[(static_cast<std::int64_t>(slice) * job.batch + image) * kHiddenUnits + thread];
  }
  hidden[thread] = fmaxf(unit, 0.0F);
  __syncthreads();
  const int head = thread & 15;
  const int group = thread >> 4;  // of units
  const float* weights = head < kNumActions ? w.policy + head * kHiddenUnits : w.value;
  float sum = 0;
#pragma unroll
  for (int u = 0; u < kUnits; ++u) sum += hidden[group * kUnits + u] * weights[group * kUnits + u];
  sums[group][head] = sum;
  __syncthreads();
  if (thread >= 32) return;
  if (thread < kNumHeads) {
    float output = thread < kNumActions ? w.policy_bias[thread] : w.value_bias[0];
#pragma unroll
    for (int g = 0; g < kHiddenBlocks; ++g) output += sums[g][thread];
    outputs[thread] = output;
  }
  __syncwarp();
  sample_action(job, job.device_items[image], outputs[head], outputs[kNumActions]);
}

}  // namespace

void infer(const Weights& weights, const PackedWeights& packed, bool relu_skip,
           const InferenceJob& job, const InferenceScratch& scratch, void* stream) {
  auto* features = static_cast<__nv_bfloat16*>(scratch.features);
  const auto queue = static_cast<cudaStream_t>(stream);
  const auto batch = static_cast<unsigned>(job.batch);
  auto* trunk = relu_skip ? conv_trunk<true> : conv_trunk<false>;
  require(trunk, {.shared_bytes = Smem::kTotal, .max_shared_carveout = true});
  trunk<<<batch, Smem::kThreads, Smem::kTotal, queue>>>(job, packed.conv, packed.conv_bias,
                                                        features);
  check(cudaGetLastError(), "convolutions of the IMPALA network");
  const dim3 tiles(kHiddenBlocks, (batch + kTileImages - 1) / kTileImages);
  hidden_slices<<<tiles, kHeadThreads, 0, queue>>>(
      features, reinterpret_cast<const uint4*>(packed.hidden), scratch.partials, job.batch);
  heads_and_sample<<<batch, kHeadThreads, 0, queue>>>(scratch.partials, weights, job);
  check(cudaGetLastError(), "heads of the IMPALA network");
}

}  // namespace plr::cuda::impala::portable
