// Inference with the recurrent network for thousands of slots: one kernel, in which a thread block
// computes a tile of 64 items and reads the weights once for all of them.
//
// The state of every slot is kept as by infer() (inference.h).  Operands of matrix products are
// fp16, sums, activations and the state fp32.  Results have the same bits for an observation in any
// batch and at any place.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/inference_job.h"
#include "plr/learn/cuda/lstm/network.h"

namespace plr::cuda::lstm {

// Whether the kernel supports such a network: 128 or 256 units, an image of three channels, at most
// 32 actions, and a tile that fits into shared memory.
bool can_infer_tiles(const Shape& shape);

// Enqueues the conversion of the weights to the kernel's layout; call it when they have changed.
// `packed` has packed_tile_bytes() bytes, on the device, aligned to 16 bytes.
std::int64_t packed_tile_bytes(const Shape& shape);
void pack_tile_weights(const Shape& shape, const Weights& weights, void* packed, void* stream);

// Enqueues the kernel; `stream` is a cudaStream_t.  Does not use job.device_items.  Throws
// std::runtime_error on a CUDA error.
// REQUIRES: can_infer_tiles(shape); job.state is not null; job.history and job.first_state are
// null.
void infer_tiles(const Shape& shape, const void* packed, const InferenceJob& job, void* stream);

}  // namespace plr::cuda::lstm
