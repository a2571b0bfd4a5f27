// Reference for the native training kernels of the IMPALA network, in plain tensor operations.
//
// Forward and backward passes of the convolutions in double precision, rounded to bf16 exactly
// where the kernels round: weights, inputs of layers, gradients of their outputs.
//
//   ImpalaReference reference(network.parameters(), config);
//   const at::Tensor features = reference.forward(obs);                // [B, 2048] of bf16
//   const auto grads = reference.backward(d_features);                 // by name
#pragma once

#include <ATen/ATen.h>

#include <array>
#include <map>
#include <string>

#include "plr/learn/impala_network.h"
#include "plr/learn/parameters.h"

namespace plr::testing {

class ImpalaReference {
 public:
  ImpalaReference(const learn::Parameters& parameters, const learn::ImpalaConfig& config)
      : relu_skip_(config.relu_skip) {
    std::size_t l = 0;
    for (const char* stage : {"stage1", "stage2", "stage3"}) {
      for (const char* conv :
           {".conv", ".block1.conv1", ".block1.conv2", ".block2.conv1", ".block2.conv2"}) {
        Conv& c = convs_[l];
        c.name = std::string(stage) + conv;
        const at::Tensor weight = parameters[c.name + ".w"].detach();
        c.weight = rounded(l == 0 ? weight / 255 : weight);
        c.bias = parameters[c.name + ".b"].detach().to(at::kDouble).view({1, -1, 1, 1});
        ++l;
      }
    }
  }

  at::Tensor forward(const at::Tensor& obs) {
    at::Tensor x = obs.permute({0, 3, 1, 2}).to(at::kDouble);
    for (std::size_t stage = 0; stage < 3; ++stage) {
      Conv& first = convs_[5 * stage];
      Pool& pool = pools_[stage];
      // In fp32, where equal sums are equal in any order.
      pool.input = first.conv(rounded(x)).to(at::kFloat);
      at::Tensor largest;
      std::tie(largest, pool.argmax) =
          at::max_pool2d_with_indices(pool.input, {3, 3}, {2, 2}, {1, 1});
      x = largest.to(at::kDouble) + first.bias;
      for (std::size_t block = 0; block < 2; ++block) {
        Conv& conv1 = convs_[5 * stage + 1 + 2 * block];
        Conv& conv2 = convs_[5 * stage + 2 + 2 * block];
        const at::Tensor h = conv1.conv(rounded(x.relu())) + conv1.bias;
        const at::Tensor change = conv2.conv(rounded(h.relu())) + conv2.bias;
        x = (relu_skip_ ? x.relu() : x) + change;
      }
    }
    features_ = rounded(x.relu());
    return features_.permute({0, 2, 3, 1}).reshape({obs.size(0), -1}).to(at::kBFloat16);
  }

  std::map<std::string, at::Tensor> backward(const at::Tensor& d_features) {
    at::Tensor x = d_features.to(at::kDouble).view({-1, 8, 8, 32}).permute({0, 3, 1, 2});
    x = x * (features_ > 0);
    for (std::size_t stage = 3; stage-- > 0;) {
      for (std::size_t block = 2; block-- > 0;) {
        Conv& conv1 = convs_[5 * stage + 1 + 2 * block];
        Conv& conv2 = convs_[5 * stage + 2 + 2 * block];
        const at::Tensor d_h = conv2.back(rounded(x)) * (conv2.input > 0);
        const at::Tensor change = conv1.back(rounded(d_h));
        const at::Tensor mask = conv1.input > 0;
        x = relu_skip_ ? (x + change) * mask : x + change * mask;
      }
      const Pool& pool = pools_[stage];
      const at::Tensor before =
          at::max_pool2d_with_indices_backward(rounded(x).to(at::kFloat), pool.input, {3, 3},
                                               {2, 2}, {1, 1}, {1, 1}, false, pool.argmax);
      x = convs_[5 * stage].back(rounded(before));
    }
    convs_[0].d_weight /= 255;
    std::map<std::string, at::Tensor> grads;
    for (const Conv& c : convs_) {
      grads[c.name + ".w"] = c.d_weight;
      grads[c.name + ".b"] = c.d_bias;
    }
    return grads;
  }

 private:
  static at::Tensor rounded(const at::Tensor& x) {
    return x.to(at::kFloat).to(at::kBFloat16).to(at::kDouble);
  }

  struct Conv {
    std::string name;
    at::Tensor weight, bias, input, d_weight, d_bias;

    at::Tensor conv(const at::Tensor& x) {
      input = x;
      return at::conv2d(x, weight, {}, /*stride=*/1, /*padding=*/1);
    }
    // Returns the gradient of the input; keeps those of weight and bias.
    at::Tensor back(const at::Tensor& d_output) {
      at::Tensor d_input;
      std::tie(d_input, d_weight, d_bias) =
          at::convolution_backward(d_output, input, weight, weight.size(0), {1, 1}, {1, 1}, {1, 1},
                                   false, {0, 0}, 1, {true, true, true});
      return d_input;
    }
  };
  struct Pool {
    at::Tensor input, argmax;
  };

  bool relu_skip_;
  std::array<Conv, 15> convs_;
  std::array<Pool, 3> pools_;
  at::Tensor features_;
};

}  // namespace plr::testing
