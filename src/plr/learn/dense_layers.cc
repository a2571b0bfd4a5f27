#include "plr/learn/dense_layers.h"

#include <ATen/ATen.h>

#include <cmath>
#include <stdexcept>

#include "plr/base/fields.h"

namespace plr::learn {

void add_dense_layers(const std::string& name, std::int64_t inputs,
                      const std::vector<std::int64_t>& sizes, std::vector<ParameterSpec>& specs) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    add_layer(name + std::to_string(i + 1), {sizes[i], inputs}, Init::kOrthogonal, std::sqrt(2.0),
              specs);
    inputs = sizes[i];
  }
}

DenseLayers::DenseLayers(const Parameters& parameters, const std::string& name,
                         std::size_t num_layers, Activation activation)
    : activation_(activation) {
  for (std::size_t i = 0; i < num_layers; ++i) {
    layers_.emplace_back(parameters, name + std::to_string(i + 1));
  }
}

at::Tensor DenseLayers::operator()(const at::Tensor& x) const {
  at::Tensor y = x;
  for (const Layer& layer : layers_) {
    y = dense(y, layer);
    y = activation_ == Activation::kTanh ? y.tanh_() : y.relu_();
  }
  return y;
}

std::vector<std::int64_t> parse_sizes(std::string_view field, const std::string& text) {
  constexpr Bounds kSizes = from_to(1, 1 << 16);
  std::vector<std::int64_t> sizes;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parse_value(field, text.substr(begin, end - begin), sizes.emplace_back());
    check_value(field, sizes.back(), kSizes);
    begin = end + 1;
  }
  return sizes;
}

}  // namespace plr::learn
