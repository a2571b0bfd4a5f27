// Properties of the GPU and the stream on which native kernels are launched.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <string>

namespace plr::learn {

inline constexpr int kAmpereCapability = 80;
inline constexpr int kHopperCapability = 90;

inline int device_index(at::Device device) {
  int index = device.index();
  if (index < 0) cudaGetDevice(&index);  // "cuda" means the current one
  return index;
}

inline int device_attribute(at::Device device, cudaDeviceAttr which) {
  int value = 0;
  cudaDeviceGetAttribute(&value, which, device_index(device));
  return value;
}

// The device's compute capability, 90 for Hopper.
inline int capability(at::Device device) {
  return 10 * device_attribute(device, cudaDevAttrComputeCapabilityMajor) +
         device_attribute(device, cudaDevAttrComputeCapabilityMinor);
}

inline std::string capability_text(at::Device device) {
  return std::to_string(capability(device) / 10) + "." + std::to_string(capability(device) % 10);
}

// The largest shared memory of a thread block, in bytes.
inline int shared_memory(at::Device device) {
  return device_attribute(device, cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

// The cudaStream_t on which this thread enqueues its work.
inline void* current_stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

}  // namespace plr::learn
