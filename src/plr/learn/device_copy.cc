#include "plr/learn/device_copy.h"

#include <ATen/ATen.h>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda_device.h"

namespace plr::learn {

void copy_to_device_async(const at::Tensor& from, const at::Tensor& to) {
  if (!to.is_cuda()) {
    to.copy_(from, /*non_blocking=*/true);
    return;
  }
  cuda::check(cudaMemcpyAsync(to.mutable_data_ptr(), from.const_data_ptr(), from.nbytes(),
                              cudaMemcpyHostToDevice, static_cast<cudaStream_t>(current_stream())),
              "a copy to the device");
}

}  // namespace plr::learn
