#include "plr/learn/native_network.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <variant>

#include "plr/learn/kernel_choice.h"
#include "plr/learn/native_grid_cnn.h"
#include "plr/learn/native_impala.h"
#include "plr/learn/native_lstm.h"

namespace plr::learn {

void NativeTraining::backward_from(const std::vector<at::Tensor>& tensors,
                                   const std::vector<at::Tensor>& grads,
                                   const SavedActivations& saved) {
  const auto is_same = [](const at::Tensor& a, const at::Tensor& b) { return a.is_same(b); };
  // Without a libtorch operation in between, autograd would only copy the gradients.
  if (std::ranges::equal(tensors, saved.outputs, is_same)) return backward(saved, grads);
  torch::autograd::backward(tensors, grads);
  std::vector<at::Tensor> output_grads;
  for (const at::Tensor& output : saved.outputs) {
    const at::Tensor& grad = output.grad();
    output_grads.push_back(grad.defined() ? grad : at::zeros_like(output));
  }
  backward(saved, output_grads);
}

std::unique_ptr<NativeInference> make_native_inference(const Network& network, Kernels kernels) {
  const KernelKind kind = choose_kernels(network, kernels).inference.kind;
  if (kind == KernelKind::kLibtorch) return nullptr;
  if (const auto* config = std::get_if<GridCnnConfig>(&network.architecture())) {
    return make_grid_cnn_inference(network, *config, kind);
  }
  if (const auto* config = std::get_if<LstmConfig>(&network.architecture())) {
    return make_lstm_inference(network, *config);
  }
  return make_impala_inference(network, std::get<ImpalaConfig>(network.architecture()), kind);
}

std::unique_ptr<NativeInference> make_native_inference_of_many(const Network& network,
                                                               Kernels kernels) {
  const auto* recurrent = std::get_if<LstmConfig>(&network.architecture());
  if (recurrent == nullptr) return make_native_inference(network, kernels);
  const KernelKind kind = choose_kernels(network, kernels).inference.kind;
  return kind == KernelKind::kLibtorch ? nullptr : make_lstm_tile_inference(network, *recurrent);
}

std::unique_ptr<NativeTraining> make_native_training(Network& network, Kernels kernels) {
  const KernelKind kind = choose_kernels(network, kernels).training.kind;
  if (kind == KernelKind::kLibtorch) return nullptr;
  if (const auto* config = std::get_if<GridCnnConfig>(&network.architecture())) {
    return make_grid_cnn_training(network, *config);
  }
  if (const auto* config = std::get_if<LstmConfig>(&network.architecture())) {
    return make_lstm_training(network, *config);
  }
  return make_impala_training(network, std::get<ImpalaConfig>(network.architecture()), kind);
}

}  // namespace plr::learn
