#include "plr/learn/kernel_choice.h"

#include <utility>
#include <variant>

#include "plr/learn/cuda_backend.h"
#include "plr/learn/native_grid_cnn.h"
#include "plr/learn/native_impala.h"
#include "plr/learn/native_lstm.h"

namespace plr::learn {

KernelChoices choose_kernels(const Network& network, Kernels kernels) {
  const auto libtorch = [](const std::string& reason) -> KernelChoices {
    return {{KernelKind::kLibtorch, reason}, {KernelKind::kLibtorch, reason}};
  };
  if (kernels == Kernels::kLibtorch) return libtorch("kernels = libtorch");
  if (const std::string problem = native_kernels_problem(network.device()); !problem.empty()) {
    return libtorch(problem);
  }
  if (!has_native_interface(network)) {
    return libtorch(
        "native kernels take observations of bytes, not normalized, and discrete actions only");
  }
  if (const auto* config = std::get_if<GridCnnConfig>(&network.architecture())) {
    return choose_grid_cnn_kernels(network, *config, kernels);
  }
  if (std::holds_alternative<ImpalaConfig>(network.architecture())) {
    return choose_impala_kernels(network, kernels);
  }
  if (const auto* config = std::get_if<LstmConfig>(&network.architecture())) {
    return choose_lstm_kernels(network, *config, kernels);
  }
  return libtorch("there are no native kernels for this architecture");
}

bool has_native_interface(const Network& network) {
  const NetworkShape& shape = network.shape();
  return !shape.has_float_obs() && !network.normalizes_observations() &&
         shape.actions.is_discrete();
}

std::string libtorch_note(const Network& network, Kernels kernels) {
  if (kernels != Kernels::kAuto || !network.device().is_cuda()) return "";
  const auto [inference, training] = choose_kernels(network, kernels);
  const bool is_inference = inference.kind == KernelKind::kLibtorch;
  const bool is_training = training.kind == KernelKind::kLibtorch;
  if (!is_inference && !is_training) return "";
  const std::string part = is_inference && is_training ? "inference and training"
                           : is_inference              ? "inference"
                                                       : "training";
  return "libtorch computes " + part + " on " + gpu_text(network.device()) + ": " +
         (is_inference ? inference.reason : training.reason);
}

}  // namespace plr::learn
