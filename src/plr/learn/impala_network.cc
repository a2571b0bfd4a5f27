#include "plr/learn/impala_network.h"

#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "plr/learn/layers.h"
#include "plr/learn/policy_head.h"

namespace plr::learn {
namespace {

constexpr std::array<std::int64_t, 3> kChannels = {16, 32, 32};
constexpr std::int64_t kHidden = 256;

std::string stage_name(std::size_t stage) { return "stage" + std::to_string(stage + 1); }

std::vector<ParameterSpec> specs_for(const NetworkShape& shape) {
  std::vector<ParameterSpec> specs;
  const auto add_conv = [&](const std::string& name, std::int64_t out, std::int64_t in) {
    add_layer(name, {out, in, 3, 3}, Init::kXavierUniform, 1, specs);
  };
  std::int64_t in = shape.channels;
  std::int64_t h = shape.height;
  std::int64_t w = shape.width;
  for (std::size_t s = 0; s < kChannels.size(); ++s) {
    const std::int64_t out = kChannels[s];
    add_conv(stage_name(s) + ".conv", out, in);
    for (const char* block : {".block1", ".block2"}) {
      add_conv(stage_name(s) + block + ".conv1", out, out);
      add_conv(stage_name(s) + block + ".conv2", out, out);
    }
    in = out;
    // The pool halves and rounds up.
    h = (h + 1) / 2;
    w = (w + 1) / 2;
  }
  add_layer("hidden", {kHidden, in, h, w}, Init::kOrthogonal, std::sqrt(2.0), specs);
  add_layer("value", {1, kHidden}, Init::kOrthogonal, 1, specs);
  add_policy_head(shape.actions, kHidden, specs);
  return specs;
}

struct ResidualBlock {
  Layer conv1;
  Layer conv2;

  at::Tensor operator()(const at::Tensor& x, bool relu_skip) const {
    const at::Tensor activated = x.relu();
    const at::Tensor change = conv(conv(activated, conv1, 1).relu_(), conv2, 1);
    return change + (relu_skip ? activated : x);
  }
};

struct Stage {
  Layer first;
  std::array<ResidualBlock, 2> blocks;

  at::Tensor operator()(const at::Tensor& images, bool relu_skip) const {
    at::Tensor x =
        at::max_pool2d(conv(images, first, 1), {3, 3}, /*stride=*/{2, 2}, /*padding=*/{1, 1});
    for (const ResidualBlock& block : blocks) x = block(x, relu_skip);
    return x;
  }
};

Stage make_stage(const Parameters& parameters, const std::string& name) {
  const auto block = [&](const std::string& which) {
    return ResidualBlock{Layer(parameters, name + which + ".conv1"),
                         Layer(parameters, name + which + ".conv2")};
  };
  return {Layer(parameters, name + ".conv"), {block(".block1"), block(".block2")}};
}

}  // namespace

Network make_impala_network(const NetworkShape& shape, const ImpalaConfig& config, Random init,
                            Precision precision, at::Device device) {
  Parameters parameters(specs_for(shape), init, device);
  std::array<Stage, kChannels.size()> stages;
  for (std::size_t s = 0; s < stages.size(); ++s) stages[s] = make_stage(parameters, stage_name(s));
  const Layer hidden(parameters, "hidden");
  const PolicyHead policy(parameters, shape.actions);
  const Layer value(parameters, "value");

  const auto body = [=](const at::Tensor& images, const Recurrence&) -> Output {
    at::Tensor x = images;
    for (const Stage& stage : stages) x = stage(x, config.relu_skip);
    x = dense(x.relu(), hidden).relu_();
    return {policy(x), dense(x, value)};
  };
  return Network(shape, config, /*scale=*/255, precision, std::move(parameters), body);
}

}  // namespace plr::learn
