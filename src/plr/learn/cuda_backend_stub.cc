// For builds without CUDA's compiler, in place of cuda_backend.cc, native_grid_cnn.cc,
// native_impala.cc and device_copy.cc: there are no native kernels.
#include <ATen/ATen.h>

#include <cassert>

#include "plr/learn/cuda_backend.h"
#include "plr/learn/device_copy.h"
#include "plr/learn/native_grid_cnn.h"
#include "plr/learn/native_impala.h"

namespace plr::learn {

bool runs_native_kernels(at::Device) { return false; }

std::unique_ptr<Backend> make_cuda_backend(Network) {
  assert(false);
  return nullptr;
}

std::unique_ptr<NativeInference> make_grid_cnn_inference(const Network&, const GridCnnConfig&) {
  return nullptr;
}
std::unique_ptr<NativeTraining> make_grid_cnn_training(Network&, const GridCnnConfig&) {
  return nullptr;
}
std::unique_ptr<NativeInference> make_impala_inference(const Network&, const ImpalaConfig&) {
  return nullptr;
}
std::unique_ptr<NativeTraining> make_impala_training(Network&, const ImpalaConfig&) {
  return nullptr;
}

void copy_to_device_async(const at::Tensor& from, const at::Tensor& to) {
  to.copy_(from, /*non_blocking=*/true);
}

}  // namespace plr::learn
