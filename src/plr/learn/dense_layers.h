// A stack of fully connected layers with an activation after each.
//
//   add_dense_layers("policy_hidden", inputs, {64, 64}, specs);   // policy_hidden1, policy_hidden2
//   const DenseLayers hidden(parameters, "policy_hidden", 2, Activation::kTanh);
//   const at::Tensor features = hidden(x);                          // [B, 64]
//
// The weights are orthogonal with gain sqrt(2), as in Stable-Baselines3.  Copies refer to the same
// parameters.  Thread-safe as long as nothing changes the parameters.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plr/learn/architecture.h"
#include "plr/learn/layers.h"
#include "plr/learn/parameters.h"

namespace plr::learn {

// The layers NAME1, NAME2, ... of these sizes.
void add_dense_layers(const std::string& name, std::int64_t inputs,
                      const std::vector<std::int64_t>& sizes, std::vector<ParameterSpec>& specs);

class DenseLayers {
 public:
  DenseLayers(const Parameters& parameters, const std::string& name, std::size_t num_layers,
              Activation activation);

  // [B, ...] to [B, size of the last layer].
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  std::vector<Layer> layers_;
  Activation activation_;
};

// "64,64" as numbers.  Throws std::invalid_argument with the field and the text unless it is a list
// of whole numbers from 1 to 65536.
std::vector<std::int64_t> parse_sizes(std::string_view field, const std::string& text);

}  // namespace plr::learn
