#include "plr/learn/own_step.h"

#include "plr/learn/own_kernels.h"

#ifdef PLR_KERNELS

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include "plr/learn/cuda/ppo/ppo_step.h"
#include "plr/learn/cuda_device.h"

namespace plr::learn {

bool has_own_kernels(at::Device device, Kernels kernels) {
  return kernels != Kernels::kLibtorch && device.is_cuda() && capability(device) >= 80;
}

OwnStep::OwnStep(at::Device device)
    : num_done_(at::zeros({1}, at::TensorOptions(device).dtype(at::kInt))) {}

std::optional<OwnStep> OwnStep::on(at::Device device, Kernels kernels) {
  if (!has_own_kernels(device, kernels)) return std::nullopt;
  return OwnStep(device);
}

Minibatch OwnStep::gather(const at::Tensor& obs, const at::Tensor& samples,
                          const at::Tensor& orders, const at::Tensor& position) const {
  const std::int64_t batch = orders.size(1);
  std::vector<std::int64_t> shape = obs.sizes().vec();
  shape[0] = batch;
  const at::Tensor columns = at::empty({SampleColumn::kCount - 1, batch}, samples.options());
  Minibatch minibatch{.obs = at::empty(shape, obs.options()),
                      .actions = at::empty({batch}, orders.options()),
                      .old_log_probs = columns[0],
                      .old_values = columns[1],
                      .advantages = columns[2],
                      .returns = columns[3]};
  cuda::gather({.obs = obs.const_data_ptr<std::uint8_t>(),
                .samples = samples.const_data_ptr<float>(),
                .permutations = orders.const_data_ptr<std::int64_t>(),
                .position = position.const_data_ptr<std::int64_t>(),
                .obs_bytes = obs.numel() / obs.size(0),
                .batch = static_cast<int>(batch),
                .out_obs = minibatch.obs.mutable_data_ptr<std::uint8_t>(),
                .out_actions = minibatch.actions.mutable_data_ptr<std::int64_t>(),
                .out_columns = columns.mutable_data_ptr<float>()},
               current_stream());
  return minibatch;
}

at::Tensor OwnStep::backward(const PpoConfig& config, const Minibatch& minibatch,
                             const Output& output, const at::Tensor& extra) const {
  const at::Tensor logits = output.logits.detach().contiguous();
  const at::Tensor values = output.value.detach().contiguous();
  const at::Tensor actions = minibatch.actions.contiguous();
  const at::Tensor old_log_probs = minibatch.old_log_probs.contiguous();
  const at::Tensor old_values = minibatch.old_values.contiguous();
  const at::Tensor advantages = minibatch.advantages.contiguous();
  const at::Tensor returns = minibatch.returns.contiguous();
  const int batch = static_cast<int>(logits.size(0));
  const at::Tensor sums =
      at::empty({cuda::loss_blocks(batch), cuda::LossSum::kCount}, logits.options());
  const at::Tensor d_logits = at::empty_like(logits);
  const at::Tensor d_values = at::empty_like(values);
  const at::Tensor losses = at::empty({LossColumn::kCount}, logits.options());
  cuda::ppo_loss({.logits = logits.const_data_ptr<float>(),
                  .values = values.const_data_ptr<float>(),
                  .actions = actions.const_data_ptr<std::int64_t>(),
                  .old_log_probs = old_log_probs.const_data_ptr<float>(),
                  .old_values = old_values.const_data_ptr<float>(),
                  .advantages = advantages.const_data_ptr<float>(),
                  .returns = returns.const_data_ptr<float>(),
                  .extra = extra.defined() ? extra.const_data_ptr<float>() : nullptr,
                  .batch = batch,
                  .num_actions = static_cast<int>(logits.size(1)),
                  .clip = static_cast<float>(config.clip),
                  .clip_value_loss = config.clip_value_loss,
                  .value_coef = static_cast<float>(config.value_coef),
                  .entropy_coef = static_cast<float>(config.entropy_coef),
                  .partial_sums = sums.mutable_data_ptr<float>(),
                  .blocks_done = reinterpret_cast<unsigned*>(num_done_.mutable_data_ptr<int>()),
                  .logits_grad = d_logits.mutable_data_ptr<float>(),
                  .values_grad = d_values.mutable_data_ptr<float>(),
                  .losses = losses.mutable_data_ptr<float>()},
                 current_stream());
  // The extra term starts from a gradient of one.
  std::vector<at::Tensor> from = {output.logits, output.value};
  std::vector<at::Tensor> gradients = {d_logits, d_values};
  if (extra.defined()) {
    from.push_back(extra);
    gradients.push_back(at::ones_like(extra));
  }
  torch::autograd::backward(from, gradients);
  return losses;
}

void OwnStep::note(const at::Tensor& losses, const at::Tensor& table,
                   const at::Tensor& position) const {
  cuda::store_losses(losses.const_data_ptr<float>(), table.mutable_data_ptr<float>(),
                     position.mutable_data_ptr<std::int64_t>(), current_stream());
}

}  // namespace plr::learn

#else

namespace plr::learn {

bool has_own_kernels(at::Device, Kernels) { return false; }

std::optional<OwnStep> OwnStep::on(at::Device, Kernels) { return std::nullopt; }

// Never called, as there is none.
Minibatch OwnStep::gather(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                          const at::Tensor&) const {
  return {};
}
at::Tensor OwnStep::backward(const PpoConfig&, const Minibatch&, const Output&,
                             const at::Tensor&) const {
  return {};
}
void OwnStep::note(const at::Tensor&, const at::Tensor&, const at::Tensor&) const {}

}  // namespace plr::learn

#endif
