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
  int index = device.index();
  if (index < 0) cudaGetDevice(&index);  // "cuda" means the present one
  int major = 0;
  int minor = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index);
  return 10 * major + minor;
}

// The cudaStream_t to which this thread gives its orders.
inline void* current_stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

}  // namespace plr
