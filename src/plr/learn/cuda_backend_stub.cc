// For builds without CUDA's compiler, in place of cuda_backend.cc, native_grid_cnn.cc,
// native_impala.cc and native_lstm.cc: there are no native kernels.
#include <ATen/ATen.h>

#include <cassert>

#include "plr/learn/cuda_backend.h"
#include "plr/learn/native_grid_cnn.h"
#include "plr/learn/native_impala.h"
#include "plr/learn/native_lstm.h"

namespace plr::learn {

std::string native_kernels_problem(at::Device) {
  return "the program was built without CUDA's compiler (docs/gpus.md)";
}

std::string gpu_text(at::Device device) { return device.str(); }

std::unique_ptr<Backend> make_cuda_backend(Network, Kernels) {
  assert(false);
  return nullptr;
}

KernelChoices choose_grid_cnn_kernels(const Network&, const GridCnnConfig&, Kernels) { return {}; }
KernelChoices choose_impala_kernels(const Network&, Kernels) { return {}; }
KernelChoices choose_lstm_kernels(const Network&, const LstmConfig&, Kernels) { return {}; }

std::unique_ptr<NativeInference> make_grid_cnn_inference(const Network&, const GridCnnConfig&,
                                                         KernelKind) {
  return nullptr;
}
std::unique_ptr<NativeTraining> make_grid_cnn_training(Network&, const GridCnnConfig&) {
  return nullptr;
}
std::unique_ptr<NativeInference> make_impala_inference(const Network&, const ImpalaConfig&,
                                                       KernelKind) {
  return nullptr;
}
std::unique_ptr<NativeTraining> make_impala_training(Network&, const ImpalaConfig&, KernelKind) {
  return nullptr;
}
std::unique_ptr<NativeInference> make_lstm_inference(const Network&, const LstmConfig&) {
  return nullptr;
}
std::unique_ptr<NativeInference> make_lstm_tile_inference(const Network&, const LstmConfig&) {
  return nullptr;
}
std::unique_ptr<NativeTraining> make_lstm_training(Network&, const LstmConfig&) { return nullptr; }

}  // namespace plr::learn
