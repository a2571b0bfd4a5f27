// Per-device kernel attributes: what a kernel needs beyond the defaults before it is launched.
//
//   require(kernel, {.shared_bytes = bytes});
//   kernel<<<blocks, threads, bytes, stream>>>(...);
//
// require() applies to the current device.  It remembers what was set for each kernel and device
// and calls the driver only for more, since a call costs about as much as a launch.  It enqueues
// nothing, so that it can be used while a CUDA graph is recorded.  Thread-safe.
#pragma once

namespace plr::cuda {

struct KernelAttributes {
  int shared_bytes = 0;              // dynamic shared memory of a thread block
  bool max_shared_carveout = false;  // prefer shared memory over L1 as far as possible
  bool large_clusters = false;       // clusters of more than 8 thread blocks
};

// Throws std::runtime_error if the device has less shared memory than that.
void require_attributes(const void* kernel, const KernelAttributes& attributes);

template <class... Args>
void require(void (*kernel)(Args...), const KernelAttributes& attributes) {
  require_attributes(reinterpret_cast<const void*>(kernel), attributes);
}

// Of the current device.
int num_multiprocessors();

// Whether the program has machine code or PTX that the current device runs: those of this file's
// library, which is built for CMAKE_CUDA_ARCHITECTURES.
bool has_device_code();

}  // namespace plr::cuda
