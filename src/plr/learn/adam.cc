#include "plr/learn/adam.h"

#include <ATen/ATen.h>

#include <cmath>

#include "plr/learn/own_kernels.h"

#ifdef PLR_KERNELS
#include "plr/learn/cuda/ppo/adam_step.h"
#include "plr/learn/cuda_device.h"
#endif

namespace plr::learn {
Adam::Adam(const Parameters& parameters, const AdamConfig& config, Kernels kernels)
    : parameters_(parameters),
      config_(config),
      first_moment_(at::zeros_like(parameters.values())),
      second_moment_(at::zeros_like(parameters.values())),
      steps_(at::zeros({}, parameters.values().options())) {
  check_fields(config);
  const at::Device device = parameters.values().device();
  if (has_own_kernels(device, kernels)) {
    num_done_ = at::zeros({1}, at::TensorOptions(device).dtype(at::kInt));
  }
}

void Adam::step(const at::Tensor& loss, const at::Tensor& broken, const at::Tensor& norm) {
  if (num_done_.defined()) return step_by_own_kernels(loss, broken, norm);
  norm.copy_(parameters_.grads().norm());
  // Decided on the device, so that nobody waits.
  broken.copy_(at::maximum(broken, 1 - (loss + norm).isfinite().to(at::kFloat)));
  // The gradient times min(1, max_grad_norm / (norm + 1e-6)); the fused kernel divides.
  const at::Tensor divisor = ((norm + 1e-6) / config_.max_grad_norm).clamp_min(1);
  steps_.add_(1 - broken);
  at::_fused_adam_({parameters_.values()}, {parameters_.grads()}, {first_moment_}, {second_moment_},
                   /*max_exp_avg_sqs=*/{}, {steps_}, config_.learning_rate, config_.beta1,
                   config_.beta2, /*weight_decay=*/0, config_.epsilon, /*amsgrad=*/false,
                   /*maximize=*/false, /*grad_scale=*/divisor, /*found_inf=*/broken);
}

void Adam::step_by_own_kernels([[maybe_unused]] const at::Tensor& loss,
                               [[maybe_unused]] const at::Tensor& broken,
                               [[maybe_unused]] const at::Tensor& norm) {
#ifdef PLR_KERNELS
  const at::Tensor sums = at::empty({cuda::kNormBlocks}, steps_.options());
  const at::Tensor scales = at::empty({3}, steps_.options());
  const auto of = [](const at::Tensor& tensor) { return tensor.mutable_data_ptr<float>(); };
  cuda::adam_step({.values = of(parameters_.values()),
                   .grads = of(parameters_.grads()),
                   .first_moment = of(first_moment_),
                   .second_moment = of(second_moment_),
                   .length = parameters_.values().numel(),
                   .loss = loss.const_data_ptr<float>(),
                   .steps = of(steps_),
                   .broken = of(broken),
                   .norm = of(norm),
                   .partial_sums = of(sums),
                   .scales = of(scales),
                   .blocks_done = reinterpret_cast<unsigned*>(num_done_.mutable_data_ptr<int>()),
                   .learning_rate = config_.learning_rate,
                   .beta1 = config_.beta1,
                   .beta2 = config_.beta2,
                   .epsilon = config_.epsilon,
                   .max_grad_norm = config_.max_grad_norm},
                  current_stream());
#endif
}

std::int64_t Adam::num_steps() const { return std::llround(steps_.item<double>()); }

std::vector<NamedTensor> Adam::state() const {
  std::vector<NamedTensor> named;
  for (NamedTensor& m : parameters_.views(first_moment_)) {
    named.push_back({"adam.m/" + m.name, m.tensor});
  }
  for (NamedTensor& v : parameters_.views(second_moment_)) {
    named.push_back({"adam.v/" + v.name, v.tensor});
  }
  named.push_back({"adam.step", steps_});
  return named;
}

}  // namespace plr::learn
