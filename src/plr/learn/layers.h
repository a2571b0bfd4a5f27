// Layers of networks: their parameters by name, and their operations.
//
//   add_layer("policy", {7, 64}, Init::kOrthogonal, 0.01, specs);   // makes policy.w and policy.b
//   const Layer policy(parameters, "policy");
//   const at::Tensor logits = dense(features, policy);
//
// A Layer's tensors refer to the parameters; copies of it refer to the same.  The operations are
// thread-safe as long as nothing changes the parameters.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "plr/learn/parameters.h"

namespace plr::learn {

// Appends the weight `name.w` of this shape, [out, in...], and its bias `name.b` to `specs`.
void add_layer(const std::string& name, const std::vector<std::int64_t>& shape, Init init,
               double gain, std::vector<ParameterSpec>& specs);

struct Layer {
  Layer() = default;
  Layer(const Parameters& parameters, const std::string& name);

  at::Tensor weight;
  at::Tensor bias;
};

// A convolution of stride 1 over [B, C, H, W].
at::Tensor conv(const at::Tensor& x, const Layer& layer, std::int64_t padding = 0);

// [B, C, H, W] -> [B, H * W * C], a view where channels are last in memory; others stay as they
// are.
at::Tensor as_rows(const at::Tensor& x);

// A fully connected layer over all of [B, ...]: x and the weight, [out, ...], have the same
// dimensions except the first.  Both have their channels last in memory, so neither is copied.
at::Tensor dense(const at::Tensor& x, const Layer& layer);

}  // namespace plr::learn
