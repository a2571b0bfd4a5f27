#include "plr/learn/lstm_network.h"

#include <ATen/ATen.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

#include "plr/learn/dense_layers.h"
#include "plr/learn/layers.h"
#include "plr/learn/lstm.h"
#include "plr/learn/policy_head.h"

namespace plr::learn {
namespace {

constexpr std::int64_t kKernel = 3;
constexpr std::int64_t kFilters = 16;
constexpr std::int64_t kDirectionUnits = 5;
constexpr std::int64_t kHeadUnits = 32;
constexpr double kCodeScale = 10;  // divides the codes of the image

// Appends the layers before the LSTM and returns the number of their outputs.
std::int64_t add_features(const NetworkShape& shape, const LstmConfig& config,
                          std::vector<ParameterSpec>& specs) {
  if (shape.has_float_obs()) {
    const std::vector<std::int64_t> sizes = parse_sizes("encoder_sizes", config.encoder_sizes);
    add_dense_layers("encoder", shape.obs_elements(), sizes, specs);
    return sizes.back();
  }
  const std::int64_t height = shape.height - kKernel + 1;
  const std::int64_t width = shape.width - kKernel + 1;
  if (height < 1 || width < 1) {
    throw std::invalid_argument("observation must be at least 3x3 for network = lstm, not " +
                                std::to_string(shape.height) + "x" + std::to_string(shape.width));
  }
  const bool has_direction = shape.num_directions > 0;
  const std::int64_t channels = shape.channels - (has_direction ? 1 : 0);
  add_layer("conv", {kFilters, channels, kKernel, kKernel}, Init::kTruncatedNormal, 1, specs);
  if (has_direction) {
    add_layer("direction", {kDirectionUnits, shape.num_directions}, Init::kOrthogonal,
              std::sqrt(2.0), specs);
  }
  return height * width * kFilters + (has_direction ? kDirectionUnits : 0);
}

std::vector<ParameterSpec> specs_for(const NetworkShape& shape, const LstmConfig& config) {
  const std::int64_t units = config.lstm_units;
  std::vector<ParameterSpec> specs;
  const std::int64_t inputs = add_features(shape, config, specs);
  add_layer("lstm_input", {4 * units, inputs}, Init::kTruncatedNormal, 1, specs);
  specs.push_back({"lstm_hidden.w", {4 * units, units}, Init::kOrthogonalGates, 1});
  add_layer("policy_hidden", {kHeadUnits, units}, Init::kOrthogonal, 2, specs);
  add_policy_head(shape.actions, kHeadUnits, specs);
  add_layer("value_hidden", {kHeadUnits, units}, Init::kOrthogonal, 2, specs);
  add_layer("value", {1, kHeadUnits}, Init::kOrthogonal, 1, specs);
  return specs;
}

using Features = std::function<at::Tensor(const at::Tensor& obs)>;

Features float_features(const LstmConfig& config, const Parameters& parameters) {
  const std::size_t count = parse_sizes("encoder_sizes", config.encoder_sizes).size();
  const DenseLayers encoder(parameters, "encoder", count, Activation::kTanh);
  return [=](const at::Tensor& obs) { return encoder(as_rows(obs)); };
}

Features code_features(const NetworkShape& shape, const Parameters& parameters) {
  const bool has_direction = shape.num_directions > 0;
  const Layer conv_layer(parameters, "conv");
  const Layer direction = has_direction ? Layer(parameters, "direction") : Layer();
  const at::Tensor directions =
      at::arange(shape.num_directions, at::TensorOptions(parameters.values().device()));
  const std::int64_t channels = shape.channels - (has_direction ? 1 : 0);
  return [=](const at::Tensor& obs) {
    const at::Tensor codes = obs.narrow(1, 0, channels);
    const at::Tensor image = as_rows(conv(codes / kCodeScale, conv_layer).relu_());
    if (!has_direction) return image;
    const at::Tensor one_hot =
        obs.select(1, channels).select(1, 0).select(1, 0).unsqueeze(1).eq(directions);
    return at::cat({image, dense(one_hot.to(image.scalar_type()), direction)}, 1);
  };
}

}  // namespace

Network make_lstm_network(const NetworkShape& shape, const LstmConfig& config, Random init,
                          Precision precision, at::Device device) {
  Parameters parameters(specs_for(shape, config), init, device);
  const Features features =
      shape.has_float_obs() ? float_features(config, parameters) : code_features(shape, parameters);
  const Layer input(parameters, "lstm_input");
  const at::Tensor hidden_weight = parameters["lstm_hidden.w"];
  const Layer policy_hidden(parameters, "policy_hidden");
  const PolicyHead policy(parameters, shape.actions);
  const Layer value_hidden(parameters, "value_hidden");
  const Layer value(parameters, "value");

  const auto body = [=](const at::Tensor& obs, const Recurrence& recurrence) -> Output {
    const std::int64_t num_steps = recurrence.resets.size(0);
    const at::Tensor gates = dense(features(obs), input).to(at::kFloat);
    const LstmOutput memory = lstm(gates.view({num_steps, -1, gates.size(1)}), hidden_weight,
                                   recurrence.state, recurrence.resets);
    const at::Tensor hidden = memory.hidden.flatten(0, 1);
    return {.logits = policy(dense(hidden, policy_hidden).relu_()),
            .value = dense(dense(hidden, value_hidden).relu_(), value),
            .state = memory.state};
  };
  return Network(shape, config, /*scale=*/1, precision, std::move(parameters), body,
                 /*state_size=*/2 * config.lstm_units);
}

}  // namespace plr::learn
