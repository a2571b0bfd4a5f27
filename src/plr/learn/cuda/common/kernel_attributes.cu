// Sets kernel attributes once per kernel and device; its only kernel is empty and never launched.

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <utility>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/kernel_attributes.h"

namespace plr::cuda {
namespace {

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "reading the current device");
  return device;
}

__global__ void empty() {}

void set(const void* kernel, cudaFuncAttribute attribute, int value) {
  check(cudaFuncSetAttribute(kernel, attribute, value), "setting a kernel attribute");
}

}  // namespace

void require_attributes(const void* kernel, const KernelAttributes& attributes) {
  static std::mutex mutex;
  static std::map<std::pair<const void*, int>, KernelAttributes> already_set;
  const std::pair key(kernel, current_device());
  const std::lock_guard lock(mutex);
  KernelAttributes& present = already_set[key];
  if (attributes.shared_bytes > present.shared_bytes) {
    set(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, attributes.shared_bytes);
    present.shared_bytes = attributes.shared_bytes;
  }
  if (attributes.max_shared_carveout && !present.max_shared_carveout) {
    set(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
    present.max_shared_carveout = true;
  }
  if (attributes.large_clusters && !present.large_clusters) {
    set(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    present.large_clusters = true;
  }
}

int num_multiprocessors() {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, current_device()),
        "reading the number of multiprocessors");
  return count;
}

bool has_device_code() {
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, empty) == cudaSuccess) return true;
  cudaGetLastError();  // this error is the answer
  return false;
}

}  // namespace plr::cuda
