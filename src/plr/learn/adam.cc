#include "plr/learn/adam.h"

#include <ATen/ATen.h>

#include <cmath>

namespace plr::learn {

Adam::Adam(Parameters& parameters, const AdamConfig& config)
    : parameters_(parameters),
      config_(config),
      state_{.first_moment = at::zeros_like(parameters.values()),
             .second_moment = at::zeros_like(parameters.values()),
             .num_steps = at::zeros({}, parameters.values().options()),
             .learning_rate = at::full({}, config.learning_rate,
                                       parameters.values().options().dtype(at::kDouble))} {
  check_fields(config);
}

void Adam::set_learning_rate(double rate) { state_.learning_rate.fill_(rate); }

void Adam::step(const at::Tensor& loss, const at::Tensor& broken, const at::Tensor& norm) {
  norm.copy_(parameters_.grads().norm());
  // Decided on the device, so that the host does not wait.
  broken.copy_(at::maximum(broken, 1 - (loss + norm).isfinite().to(at::kFloat)));
  // The gradient times min(1, max_grad_norm / (norm + epsilon)); the fused kernel divides.
  const at::Tensor divisor =
      ((norm + config_.grad_norm_epsilon) / config_.max_grad_norm).clamp_min(1);
  state_.num_steps.add_(1 - broken);
  // libtorch reads a rate on the GPU as a float.
  const at::Tensor rate =
      parameters_.values().is_cuda() ? state_.learning_rate.to(at::kFloat) : state_.learning_rate;
  at::_fused_adam_({parameters_.values()}, {parameters_.grads()}, {state_.first_moment},
                   {state_.second_moment}, /*max_exp_avg_sqs=*/{}, {state_.num_steps}, rate,
                   config_.beta1, config_.beta2, /*weight_decay=*/0, config_.epsilon,
                   /*amsgrad=*/false, /*maximize=*/false,
                   /*grad_scale=*/divisor, /*found_inf=*/broken);
}

std::int64_t Adam::num_steps() const { return std::llround(state_.num_steps.item<double>()); }

std::vector<NamedTensor> Adam::named_state() const {
  std::vector<NamedTensor> named;
  for (NamedTensor& m : parameters_.views(state_.first_moment)) {
    named.push_back({"adam.m/" + m.name, m.tensor});
  }
  for (NamedTensor& v : parameters_.views(state_.second_moment)) {
    named.push_back({"adam.v/" + v.name, v.tensor});
  }
  named.push_back({"adam.step", state_.num_steps});
  return named;
}

}  // namespace plr::learn
