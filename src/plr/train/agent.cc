#include "plr/train/agent.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <stdexcept>

#include "plr/catalog/family.h"
#include "plr/learn/cnn_network.h"
#include "plr/learn/grid_cnn_network.h"
#include "plr/learn/impala_network.h"
#include "plr/learn/lstm_network.h"
#include "plr/learn/mlp_network.h"
#include "plr/run/safetensors.h"

namespace plr::train {
namespace {

NetworkChoice choice_of(const TrainConfig& config, const EnvSpec& env) {
  if (config.network.network != NetworkChoice::kAuto) return config.network.network;
  const Family* family = catalog::find_family(env.name);
  switch (family != nullptr ? family->network : NetworkKind::kGridCnn) {
    case NetworkKind::kImpala:
      return NetworkChoice::kImpala;
    case NetworkKind::kLstm:
      return NetworkChoice::kLstm;
    case NetworkKind::kMlp:
      return NetworkChoice::kMlp;
    case NetworkKind::kCnn:
      return NetworkChoice::kCnn;
    case NetworkKind::kGridCnn:
      break;
  }
  return NetworkChoice::kGridCnn;
}

// Throws std::invalid_argument if the network is made for images and the environment shows vectors.
void check_choice(NetworkChoice choice, const learn::NetworkShape& shape, const EnvSpec& env) {
  const bool takes_vectors = choice == NetworkChoice::kMlp || choice == NetworkChoice::kLstm;
  if (takes_vectors || !shape.is_vector()) return;
  throw std::invalid_argument("network must be mlp or lstm for " + env.name +
                              ", whose observations are vectors, not " + to_text(choice));
}

learn::Network make_chosen(NetworkChoice choice, const TrainConfig& config,
                           const learn::NetworkShape& shape, const Random& init,
                           at::Device device) {
  const learn::Precision precision = config.compute.precision;
  switch (choice) {
    case NetworkChoice::kMlp:
      return learn::make_mlp_network(shape, config.network.mlp, init, device);
    case NetworkChoice::kCnn:
      return learn::make_cnn_network(shape, config.network.cnn, init, precision, device);
    case NetworkChoice::kImpala:
      return learn::make_impala_network(shape, config.network.impala, init, precision, device);
    case NetworkChoice::kLstm:
      return learn::make_lstm_network(shape, config.network.lstm, init, precision, device);
    default:
      return learn::make_grid_cnn_network(shape, config.network.grid_cnn, init, precision, device);
  }
}

}  // namespace

learn::Network make_network(const TrainConfig& config, const EnvSpec& env, const Random& init,
                            at::Device device) {
  const auto [height, width, channels] = env.observation_shape;
  const learn::NetworkShape shape{.height = height,
                                  .width = width,
                                  .channels = channels,
                                  .actions = env.actions,
                                  .num_directions = env.num_directions,
                                  .obs_type = env.observation_type};
  const NetworkChoice choice = choice_of(config, env);
  check_choice(choice, shape, env);
  learn::Network network = make_chosen(choice, config, shape, init, device);
  if (config.network.normalizer.enabled) network.normalize_observations(config.network.normalizer);
  return network;
}

void check_spaces(const EnvSpec& env, const TrainConfig& config) {
  const bool is_plain = env.observation_type == ElementType::kByte && env.actions.is_discrete();
  if (!is_plain && (config.mixreg.alpha > 0 || config.drac.enabled)) {
    throw std::invalid_argument(
        std::string(config.drac.enabled ? "drac must be false" : "mixreg must be 0") + " for " +
        env.name + ", which has no images of bytes with discrete actions");
  }
  if (env.actions.is_continuous() && needs_policy_term(config.scorer.score_function)) {
    throw std::invalid_argument(
        "score_function must be value_l1, gae or one_step_td_error for the continuous actions of " +
        env.name + ", not " + to_text(config.scorer.score_function));
  }
}

std::vector<std::byte> to_bytes(const std::vector<learn::NamedTensor>& tensors) {
  std::vector<at::Tensor> rows;  // row-major, on the host
  std::vector<run::TensorView> views;
  for (const learn::NamedTensor& named : tensors) {
    rows.push_back(named.tensor.detach().to(at::kCPU, at::kFloat).contiguous());
    const at::Tensor& row = rows.back();
    const auto* data = static_cast<const std::byte*>(row.const_data_ptr());
    views.push_back({named.name, run::DType::kF32, row.sizes().vec(), {data, row.nbytes()}});
  }
  return run::to_safetensors(views);
}

void from_bytes(std::span<const std::byte> bytes, const std::vector<learn::NamedTensor>& tensors,
                bool ignore_others) {
  const run::Safetensors file({bytes.begin(), bytes.end()});
  std::vector<learn::NamedTensor> found;
  for (const run::TensorView& view : file.tensors()) {
    const bool is_wanted = std::ranges::any_of(
        tensors, [&](const learn::NamedTensor& named) { return named.name == view.name; });
    if (ignore_others && !is_wanted) continue;
    if (view.dtype != run::DType::kF32) {
      throw std::runtime_error("tensor " + view.name + " does not hold 32-bit floats");
    }
    // from_blob takes a mutable pointer but does not write.
    auto* data = const_cast<std::byte*>(view.data.data());
    found.push_back({view.name, at::from_blob(data, view.shape, at::kFloat).clone()});
    if (!found.back().tensor.isfinite().all().item<bool>()) {
      throw std::runtime_error("tensor " + view.name +
                               " holds NaN or infinite numbers; resume from an older checkpoint");
    }
  }
  learn::copy_by_name(found, tensors);
}

}  // namespace plr::train
