#include "plr/learn/mlp_network.h"

#include <ATen/ATen.h>

#include "plr/learn/dense_layers.h"
#include "plr/learn/policy_head.h"

namespace plr::learn {
namespace {

std::vector<ParameterSpec> specs_for(const NetworkShape& shape, const MlpConfig& config,
                                     const std::vector<std::int64_t>& sizes) {
  std::vector<ParameterSpec> specs;
  add_dense_layers(config.shared_trunk ? "hidden" : "policy_hidden", shape.obs_elements(), sizes,
                   specs);
  add_policy_head(shape.actions, sizes.back(), specs);
  if (!config.shared_trunk) add_dense_layers("value_hidden", shape.obs_elements(), sizes, specs);
  add_layer("value", {1, sizes.back()}, Init::kOrthogonal, 1, specs);
  return specs;
}

}  // namespace

Network make_mlp_network(const NetworkShape& shape, const MlpConfig& config, Random init,
                         at::Device device) {
  const std::vector<std::int64_t> sizes = parse_sizes("hidden_sizes", config.hidden_sizes);
  Parameters parameters(specs_for(shape, config, sizes), init, device);
  const bool shares = config.shared_trunk;
  const DenseLayers policy_hidden(parameters, shares ? "hidden" : "policy_hidden", sizes.size(),
                                  config.activation);
  const DenseLayers value_hidden(parameters, shares ? "hidden" : "value_hidden", sizes.size(),
                                 config.activation);
  const PolicyHead policy(parameters, shape.actions);
  const Layer value(parameters, "value");

  const auto body = [=](const at::Tensor& obs, const Recurrence&) -> Output {
    const at::Tensor row = as_rows(obs);
    const at::Tensor for_policy = policy_hidden(row);
    const at::Tensor for_value = shares ? for_policy : value_hidden(row);
    return {.logits = policy(for_policy), .value = dense(for_value, value)};
  };
  return Network(shape, config, /*scale=*/255, Precision::kFp32, std::move(parameters), body);
}

}  // namespace plr::learn
