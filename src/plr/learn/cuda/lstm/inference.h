// Inference with the recurrent network by clusters of thread blocks on a Hopper: one kernel, from
// bytes in host memory to actions.
//
// The state of every slot, c and h, stays on the device: the kernel reads it, treats it as zero
// where an item begins an episode, and replaces it unless an item asks for the value only.
//
// All numbers are fp32.  Results have the same bits for an observation in any batch and at any
// place.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/inference_job.h"
#include "plr/learn/cuda/lstm/network.h"

namespace plr::cuda::lstm {

// Whether the kernel supports such a network on the current device: 128 or 256 units, an image of
// three channels, at most 32 actions, weights and observations that fit into the shared memory of a
// cluster.
bool can_infer(const Shape& shape);

// Enqueues the conversion of the weights to the kernel's layout; call it when they have changed.
// `packed` has packed_bytes() bytes, on the device, aligned to 16 bytes.
std::int64_t packed_bytes(const Shape& shape);
void pack_weights(const Shape& shape, const Weights& weights, void* packed, void* stream);

// Enqueues the kernel; `stream` is a cudaStream_t.  Does not use job.device_items.  Throws
// std::runtime_error on a CUDA error.
// REQUIRES: can_infer(shape); job.state is not null.
void infer(const Shape& shape, const void* packed, const InferenceJob& job, void* stream);

}  // namespace plr::cuda::lstm
