#include "plr/learn/lstm_network.h"

#include <ATen/ATen.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "plr/learn/layers.h"
#include "plr/learn/lstm.h"

namespace plr::learn {
namespace {

constexpr std::int64_t kKernel = 3;
constexpr std::int64_t kFilters = 16;
constexpr std::int64_t kDirectionUnits = 5;
constexpr std::int64_t kHeadUnits = 32;
constexpr double kCodeScale = 10;  // divides the codes of the image

std::vector<ParameterSpec> specs_for(const NetworkShape& shape, const LstmConfig& config) {
  const std::int64_t height = shape.height - kKernel + 1;
  const std::int64_t width = shape.width - kKernel + 1;
  if (height < 1 || width < 1) {
    throw std::invalid_argument("observation must be at least 3x3 for network = lstm, not " +
                                std::to_string(shape.height) + "x" + std::to_string(shape.width));
  }
  const bool has_direction = shape.num_directions > 0;
  const std::int64_t channels = shape.channels - (has_direction ? 1 : 0);
  const std::int64_t inputs = height * width * kFilters + (has_direction ? kDirectionUnits : 0);
  const std::int64_t units = config.lstm_units;
  std::vector<ParameterSpec> specs;
  add_layer("conv", {kFilters, channels, kKernel, kKernel}, Init::kTruncatedNormal, 1, specs);
  if (has_direction) {
    add_layer("direction", {kDirectionUnits, shape.num_directions}, Init::kOrthogonal,
              std::sqrt(2.0), specs);
  }
  add_layer("lstm_input", {4 * units, inputs}, Init::kTruncatedNormal, 1, specs);
  specs.push_back({"lstm_hidden.w", {4 * units, units}, Init::kOrthogonalGates, 1});
  add_layer("policy_hidden", {kHeadUnits, units}, Init::kOrthogonal, 2, specs);
  add_layer("policy", {shape.num_actions, kHeadUnits}, Init::kOrthogonal, 0.01, specs);
  add_layer("value_hidden", {kHeadUnits, units}, Init::kOrthogonal, 2, specs);
  add_layer("value", {1, kHeadUnits}, Init::kOrthogonal, 1, specs);
  return specs;
}

}  // namespace

Network make_lstm_network(const NetworkShape& shape, const LstmConfig& config, Random init,
                          Precision precision, at::Device device) {
  Parameters parameters(specs_for(shape, config), init, device);
  const bool has_direction = shape.num_directions > 0;
  const Layer conv_layer(parameters, "conv");
  const Layer direction = has_direction ? Layer(parameters, "direction") : Layer();
  const Layer input(parameters, "lstm_input");
  const at::Tensor hidden_weight = parameters["lstm_hidden.w"];
  const Layer policy_hidden(parameters, "policy_hidden");
  const Layer policy(parameters, "policy");
  const Layer value_hidden(parameters, "value_hidden");
  const Layer value(parameters, "value");
  const at::Tensor directions = at::arange(shape.num_directions, at::TensorOptions(device));

  const auto body = [=](const at::Tensor& obs, const Recurrence& recurrence) -> Output {
    const std::int64_t channels = shape.channels - (has_direction ? 1 : 0);
    const at::Tensor codes = obs.narrow(1, 0, channels);
    at::Tensor features = as_rows(conv(codes / kCodeScale, conv_layer).relu_());
    if (has_direction) {
      const at::Tensor one_hot =
          obs.select(1, channels).select(1, 0).select(1, 0).unsqueeze(1).eq(directions);
      features = at::cat({features, dense(one_hot.to(features.scalar_type()), direction)}, 1);
    }
    const std::int64_t num_steps = recurrence.resets.size(0);
    const at::Tensor gates = dense(features, input).to(at::kFloat);
    const LstmOutput memory = lstm(gates.view({num_steps, -1, gates.size(1)}), hidden_weight,
                                   recurrence.state, recurrence.resets);
    const at::Tensor hidden = memory.hidden.flatten(0, 1);
    return {.logits = dense(dense(hidden, policy_hidden).relu_(), policy),
            .value = dense(dense(hidden, value_hidden).relu_(), value),
            .state = memory.state};
  };
  return Network(shape, config, /*scale=*/1, precision, std::move(parameters), body,
                 /*state_size=*/2 * config.lstm_units);
}

}  // namespace plr::learn
