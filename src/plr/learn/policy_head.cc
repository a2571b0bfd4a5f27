#include "plr/learn/policy_head.h"

#include <ATen/ATen.h>

#include "plr/learn/action_distribution.h"

namespace plr::learn {

void add_policy_head(const ActionSpace& space, std::int64_t inputs,
                     std::vector<ParameterSpec>& specs) {
  const auto size = static_cast<std::int64_t>(space.size());
  const std::int64_t outputs = space.is_continuous() ? size : num_outputs(space);
  add_layer("policy", {outputs, inputs}, Init::kOrthogonal, 0.01, specs);
  if (space.is_continuous()) specs.push_back({"log_std", {size}, Init::kZero, 1});
}

PolicyHead::PolicyHead(const Parameters& parameters, const ActionSpace& space)
    : layer_(parameters, "policy") {
  if (space.is_continuous()) log_std_ = parameters["log_std"];
}

at::Tensor PolicyHead::operator()(const at::Tensor& features) const {
  const at::Tensor outputs = dense(features, layer_);
  if (!log_std_.defined()) return outputs;
  return at::cat({outputs.to(at::kFloat), log_std_.expand_as(outputs)}, 1);
}

}  // namespace plr::learn
