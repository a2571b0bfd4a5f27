#include "plr/learn/grid_cnn_network.h"

#include <ATen/ATen.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "plr/learn/conv_pool.h"
#include "plr/learn/layers.h"
#include "plr/learn/policy_head.h"

namespace plr::learn {
namespace {

constexpr std::int64_t kHidden = 64;

// The length of a side after three 2x2 convolutions and the pool.
std::int64_t side_after(std::int64_t side, bool pool) {
  return (pool ? (side - 1) / 2 : side - 1) - 2;
}

std::vector<ParameterSpec> specs_for(const NetworkShape& shape, const GridCnnConfig& config) {
  const std::int64_t h = side_after(shape.height, config.pool);
  const std::int64_t w = side_after(shape.width, config.pool);
  if (h < 1 || w < 1) {
    throw std::invalid_argument(
        std::string("observation must be at least ") +
        (config.pool ? "7x7, or 4x4 without the pool (pool = false)" : "4x4") + ", not " +
        std::to_string(shape.height) + "x" + std::to_string(shape.width));
  }
  std::vector<ParameterSpec> specs;
  add_layer("conv1", {16, shape.channels, 2, 2}, Init::kXavierUniform, 1, specs);
  add_layer("conv2", {32, 16, 2, 2}, Init::kXavierUniform, 1, specs);
  add_layer("conv3", {config.channels, 32, 2, 2}, Init::kXavierUniform, 1, specs);
  const auto add_hidden = [&](const std::string& name) {
    add_layer(name, {kHidden, config.channels, h, w}, Init::kOrthogonal, std::sqrt(2.0), specs);
  };
  add_hidden(config.shared_hidden ? "hidden" : "actor_hidden");
  add_policy_head(shape.actions, kHidden, specs);
  if (!config.shared_hidden) add_hidden("critic_hidden");
  add_layer("value", {1, kHidden}, Init::kOrthogonal, 1, specs);
  return specs;
}

}  // namespace

Network make_grid_cnn_network(const NetworkShape& shape, const GridCnnConfig& config, Random init,
                              Precision precision, at::Device device) {
  Parameters parameters(specs_for(shape, config), init, device);
  const Layer conv1(parameters, "conv1");
  const Layer conv2(parameters, "conv2");
  const Layer conv3(parameters, "conv3");
  const Layer actor(parameters, config.shared_hidden ? "hidden" : "actor_hidden");
  const Layer critic(parameters, config.shared_hidden ? "hidden" : "critic_hidden");
  const PolicyHead policy(parameters, shape.actions);
  const Layer value(parameters, "value");

  const auto body = [=](const at::Tensor& images, const Recurrence&) -> Output {
    at::Tensor x = config.pool ? conv_pool_relu(images, conv1) : conv(images, conv1).relu_();
    x = conv(x, conv2).relu_();
    x = conv(x, conv3).relu_();
    const at::Tensor for_policy = dense(x, actor).tanh_();
    const at::Tensor for_value = config.shared_hidden ? for_policy : dense(x, critic).tanh_();
    return {policy(for_policy), dense(for_value, value)};
  };
  return Network(shape, config, /*scale=*/1, precision, std::move(parameters), body);
}

}  // namespace plr::learn
