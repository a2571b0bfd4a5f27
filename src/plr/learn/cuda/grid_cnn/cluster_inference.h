// Inference with the grid CNN by clusters of thread blocks on a Hopper: one kernel, from bytes in
// host memory to actions.
//
// A cluster of 16 thread blocks computes up to 16 images; cluster_layout.cuh says how they divide
// them.  Features and partial sums never leave shared memory: thread blocks send them to each
// other.
//
// All numbers are fp32.  Results have the same bits for an image in any batch and at any place.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plr/learn/cuda/common/inference_job.h"
#include "plr/learn/cuda/grid_cnn/network.h"

namespace plr::cuda::grid_cnn {

// What runs at once on the current device.
struct ClusterCapacity {
  int clusters = 0;
  int images = 0;  // of a cluster

  // Images per cluster for a batch: few, so that they are computed at once.
  int images_for(int batch) const { return std::min(images, (batch + clusters - 1) / clusters); }
};

// Zero images where the kernel does not support the network: see can_infer(); and the weights of
// the hidden layers must fit into the shared memory of a cluster.
ClusterCapacity cluster_capacity(const Shape& shape, int obs_channels);

// Enqueues the conversion of the weights to the kernel's layout; call it when they have changed.
// `packed` has packed_floats() floats, on the device, aligned to 16 bytes.
std::int64_t packed_floats(const Shape& shape);
void pack_cluster_weights(const Shape& shape, const Weights& weights, float* packed, void* stream);

// Enqueues the kernel; `stream` is a cudaStream_t.  Reads job.items here, on the host, and neither
// reads nor writes device_items.  Throws std::runtime_error on a CUDA error.
void launch_cluster_inference(const Shape& shape, const float* packed,
                              const ClusterCapacity& capacity, const InferenceJob& job,
                              void* stream);

}  // namespace plr::cuda::grid_cnn
