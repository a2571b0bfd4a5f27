// The first step of every inference kernel: which observation it reads, and where it is stored.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/inference_job.h"

namespace plr::cuda {

// Reads item `image` of the batch with one thread of the thread block, whose `is_reader` is true,
// and returns it to all threads, which must all call it.  The reader also copies it to the device
// if `copies`.
__device__ inline collect::InferenceItem take_item(const InferenceJob& job, std::int64_t image,
                                                   bool is_reader, bool copies) {
  __shared__ collect::InferenceItem item;
  if (is_reader) {
    const int4 words = __ldcg(reinterpret_cast<const int4*>(job.items + image));  // not from L1
    item = *reinterpret_cast<const collect::InferenceItem*>(&words);
    if (copies) job.device_items[image] = item;
  }
  __syncthreads();
  return item;
}

// Where the observation of an item, of `obs_bytes`, is stored, or null.
__device__ inline std::uint8_t* history_of(const InferenceJob& job,
                                           const collect::InferenceItem& item,
                                           std::int64_t obs_bytes) {
  if (job.history == nullptr) return nullptr;
  const std::int64_t index = static_cast<std::int64_t>(item.step) * job.num_slots + item.slot;
  return job.history + index * obs_bytes;
}

}  // namespace plr::cuda
