// Inference kernel of the grid CNN by clusters of thread blocks, in fp32.
//
// infer_batch: at most 64 items, which are arguments of the launch.
//   Grid: a cluster of 16 thread blocks per ClusterLayout::images items.  256 threads, one thread
//   block per multiprocessor.  Shared memory (ClusterLayout): the weights, of the hidden layers a
//   sixteenth; an image and the outputs of its convolutions; features of all images of the cluster;
//   partial sums.  cluster_layout.cuh says which thread block owns what, cluster_block.cuh what it
//   computes.

#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/grid_cnn/cluster_block.cuh"
#include "plr/learn/cuda/grid_cnn/cluster_inference.h"
#include "plr/learn/cuda/grid_cnn/inference.h"

namespace plr::cuda::grid_cnn {
namespace {

constexpr int kLaunchItems = 64;

// Arguments of a launch reach the device faster than it can read host memory.
struct LaunchItems {
  collect::InferenceItem item[kLaunchItems];
  int count;
};

template <int CHANNELS>
__global__ void __launch_bounds__(kClusterThreads, 1)
    infer_batch(const __grid_constant__ Shape shape, const __grid_constant__ ClusterLayout layout,
                const float* packed, const __grid_constant__ InferenceJob job,
                const __grid_constant__ LaunchItems items) {
  extern __shared__ float4 aligned_memory[];
  __shared__ ClusterState state;
  const ClusterBlock<CHANNELS> block(shape, layout, job, state,
                                     reinterpret_cast<float*>(aligned_memory));
  cluster_arrive_relaxed();
  const int index = static_cast<int>(blockIdx.x) / kClusterBlocks * layout.images + block.rank;
  const bool is_wanted = block.has_image() && index < items.count;
  const collect::InferenceItem item = items.item[is_wanted ? index : 0];
  const ObsRange<uint4> obs = block.obs_of(item.slot);
  uint4 word = {};
  if (block.has_image() && block.thread < obs.num_words) word = obs.load(block.thread);
  block.start_copies(packed);
  if (block.has_image()) block.load(obs, word);
  cluster_wait();
  block.infer(item, block.bytes_of(obs), is_wanted);
}

// A grid of clusters.
struct ClusterLaunch {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute cluster = {};

  ClusterLaunch(int num_clusters, int shared_bytes, void* stream) {
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {kClusterBlocks, 1, 1};
    config.gridDim = dim3(static_cast<unsigned>(num_clusters * kClusterBlocks));
    config.blockDim = dim3(kClusterThreads);
    config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
    config.stream = static_cast<cudaStream_t>(stream);
    config.attrs = &cluster;
    config.numAttrs = 1;
  }
  ClusterLaunch(const ClusterLaunch&) = delete;
  ClusterLaunch& operator=(const ClusterLaunch&) = delete;
};

auto* kernel_for(const Shape& shape) {
  return shape.channels == 64 ? infer_batch<64> : infer_batch<32>;
}

constexpr int kMaxBytes = 224 * 1024;  // of the 227 KB of a Hopper; the rest is ClusterState

}  // namespace

ClusterCapacity cluster_capacity(const Shape& shape, int obs_channels) {
  if (!can_infer(shape, obs_channels)) return {};
  int images = kMaxClusterImages;
  while (images > 0 && ClusterLayout(shape, images).bytes() > kMaxBytes) --images;
  if (images == 0) return {};
  const int bytes = ClusterLayout(shape, images).bytes();
  auto* kernel = kernel_for(shape);
  require(kernel, {.shared_bytes = bytes, .large_clusters = true});
  const ClusterLaunch launch(1, bytes, nullptr);
  int clusters = 0;
  check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch.config),
        "counting clusters that run at once");
  return {.clusters = clusters, .images = clusters == 0 ? 0 : images};
}

void launch_cluster_inference(const Shape& shape, const float* packed,
                              const ClusterCapacity& capacity, const InferenceJob& job,
                              void* stream) {
  auto* kernel = kernel_for(shape);
  for (int first = 0; first < job.batch; first += kLaunchItems) {
    LaunchItems items;
    items.count = std::min(job.batch - first, kLaunchItems);
    std::copy_n(job.items + first, items.count, items.item);
    const ClusterLayout layout(shape, capacity.images_for(items.count));
    require(kernel, {.shared_bytes = layout.bytes(), .large_clusters = true});
    const int num_clusters = (items.count + layout.images - 1) / layout.images;
    const ClusterLaunch launch(num_clusters, layout.bytes(), stream);
    check(cudaLaunchKernelEx(&launch.config, kernel, shape, layout, packed, job, items),
          "inference with the grid CNN");
  }
}

}  // namespace plr::cuda::grid_cnn
