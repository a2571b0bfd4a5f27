#include "plr/learn/layers.h"

#include <ATen/ATen.h>

namespace plr::learn {

at::Tensor as_rows(const at::Tensor& x) {
  return x.dim() == 4 ? x.permute({0, 2, 3, 1}).reshape({x.size(0), -1}) : x;
}

void add_layer(const std::string& name, const std::vector<std::int64_t>& shape, Init init,
               double gain, std::vector<ParameterSpec>& specs) {
  specs.push_back({name + ".w", shape, init, gain});
  specs.push_back({name + ".b", {shape[0]}, Init::kZero, 1});
}

Layer::Layer(const Parameters& parameters, const std::string& name)
    : weight(parameters[name + ".w"]), bias(parameters[name + ".b"]) {}

at::Tensor conv(const at::Tensor& x, const Layer& layer, std::int64_t padding) {
  return at::conv2d(x, layer.weight, layer.bias, /*stride=*/1, padding);
}

at::Tensor dense(const at::Tensor& x, const Layer& layer) {
  return at::linear(as_rows(x), as_rows(layer.weight), layer.bias);
}

}  // namespace plr::learn
