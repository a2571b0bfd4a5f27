#include "plr/learn/cnn_network.h"

#include <ATen/ATen.h>

#include <cmath>
#include <regex>
#include <stdexcept>
#include <string>

#include "plr/learn/layers.h"
#include "plr/learn/policy_head.h"

namespace plr::learn {
namespace {

struct ConvLayer {
  std::int64_t filters = 0;
  std::int64_t kernel = 0;
  std::int64_t stride = 0;
};

// "32x8/4,64x4/2" as numbers.
std::vector<ConvLayer> parse_layers(const std::string& text) {
  static const std::regex kList(R"(\d{1,4}x\d{1,3}/\d{1,3}(,\d{1,4}x\d{1,3}/\d{1,3})*)");
  static const std::regex kLayer(R"((\d+)x(\d+)/(\d+))");
  std::vector<ConvLayer> layers;
  const auto end = std::sregex_iterator();
  if (std::regex_match(text, kList)) {
    for (auto found = std::sregex_iterator(text.begin(), text.end(), kLayer); found != end;
         ++found) {
      layers.push_back({std::stol((*found)[1]), std::stol((*found)[2]), std::stol((*found)[3])});
    }
  }
  bool is_valid = !layers.empty();
  for (const ConvLayer& layer : layers) {
    is_valid = is_valid && layer.filters > 0 && layer.kernel > 0 && layer.stride > 0;
  }
  if (!is_valid) {
    throw std::invalid_argument(
        "conv_layers must be a list of FILTERSxKERNEL/STRIDE such as 32x8/4,64x4/2, not '" + text +
        "'");
  }
  return layers;
}

std::string layer_name(std::size_t i) { return "conv" + std::to_string(i + 1); }

std::vector<ParameterSpec> specs_for(const NetworkShape& shape, const CnnConfig& config,
                                     const std::vector<ConvLayer>& layers) {
  std::vector<ParameterSpec> specs;
  std::int64_t in = shape.channels;
  std::int64_t h = shape.height;
  std::int64_t w = shape.width;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto [filters, kernel, stride] = layers[i];
    if (h < kernel || w < kernel) {
      throw std::invalid_argument(
          "conv_layers must fit into images of " + std::to_string(shape.height) + "x" +
          std::to_string(shape.width) + ", not '" + config.conv_layers + "': the input of layer " +
          std::to_string(i + 1) + " is " + std::to_string(h) + "x" + std::to_string(w) +
          "; smaller images need smaller layers, such as 16x3/1,32x3/2");
    }
    add_layer(layer_name(i), {filters, in, kernel, kernel}, Init::kOrthogonal, std::sqrt(2.0),
              specs);
    in = filters;
    h = (h - kernel) / stride + 1;
    w = (w - kernel) / stride + 1;
  }
  add_layer("hidden", {config.cnn_units, in, h, w}, Init::kOrthogonal, std::sqrt(2.0), specs);
  add_policy_head(shape.actions, config.cnn_units, specs);
  add_layer("value", {1, config.cnn_units}, Init::kOrthogonal, 1, specs);
  return specs;
}

}  // namespace

Network make_cnn_network(const NetworkShape& shape, const CnnConfig& config, Random init,
                         Precision precision, at::Device device) {
  const std::vector<ConvLayer> layers = parse_layers(config.conv_layers);
  Parameters parameters(specs_for(shape, config, layers), init, device);
  std::vector<Layer> convs;
  for (std::size_t i = 0; i < layers.size(); ++i) convs.emplace_back(parameters, layer_name(i));
  const Layer hidden(parameters, "hidden");
  const PolicyHead policy(parameters, shape.actions);
  const Layer value(parameters, "value");

  const auto body = [=](const at::Tensor& images, const Recurrence&) -> Output {
    at::Tensor x = images;
    for (std::size_t i = 0; i < convs.size(); ++i) {
      x = at::conv2d(x, convs[i].weight, convs[i].bias, layers[i].stride).relu_();
    }
    x = dense(x, hidden).relu_();
    return {.logits = policy(x), .value = dense(x, value)};
  };
  return Network(shape, config, /*scale=*/255, precision, std::move(parameters), body);
}

}  // namespace plr::learn
