// Which GPU is this, and where do its orders go?
//
// For the few places between libtorch and kernels of our own.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

namespace plr::learn {

inline int attribute(at::Device device, cudaDeviceAttr which) {
  int index = device.index();
  if (index < 0) cudaGetDevice(&index);  // "cuda" means the present one
  int value = 0;
  cudaDeviceGetAttribute(&value, which, index);
  return value;
}

// The device's compute capability, 90 for Hopper.
inline int capability(at::Device device) {
  return 10 * attribute(device, cudaDevAttrComputeCapabilityMajor) +
         attribute(device, cudaDevAttrComputeCapabilityMinor);
}

// How much shared memory a block may have, in bytes.
inline int shared_memory(at::Device device) {
  return attribute(device, cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

// The cudaStream_t to which this thread gives its orders.
inline void* current_stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

}  // namespace plr::learn
