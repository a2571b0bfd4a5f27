// Which GPU is this, and where do its orders go?
//
// For the few places between libtorch and kernels of our own.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

namespace plr {

// The device's compute capability, 90 for Hopper.
inline int capability(at::Device device) {
  int major = 0;
  int minor = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device.index());
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device.index());
  return 10 * major + minor;
}

// How much shared memory a block may have, in bytes.
inline int shared_memory(at::Device device) {
  int bytes = 0;
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.index());
  return bytes;
}

// The cudaStream_t to which this thread gives its orders.
inline void* current_stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

}  // namespace plr
