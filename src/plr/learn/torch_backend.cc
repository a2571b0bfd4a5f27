#include "plr/learn/torch_backend.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <array>

#include "plr/learn/ppo_loss.h"
#include "plr/learn/torch_inference.h"

namespace plr::learn {

std::unique_ptr<collect::Inference> TorchBackend::make_inference(const PolicyConfig& config,
                                                                 std::size_t num_slots,
                                                                 const RolloutTensors& rollout) {
  return std::make_unique<TorchInference>(network(), config, num_slots, rollout);
}

Minibatch TorchBackend::gather(const UpdateTensors& update) {
  const at::Tensor indices = update.permutations.index_select(0, update.position).squeeze(0);
  const at::Tensor samples = update.samples.index_select(0, indices);
  const auto column = [&](SampleColumn::Index which) { return samples.select(1, which); };
  const ActionSpace& space = network().shape().actions;
  at::Tensor actions = space.is_discrete() ? column(SampleColumn::kAction)
                                           : update.wide_actions.index_select(0, indices);
  if (!space.is_continuous()) actions = actions.to(at::kLong);
  Minibatch minibatch{update.obs.index_select(0, indices), actions,
                      column(SampleColumn::kLogProb),      column(SampleColumn::kValue),
                      column(SampleColumn::kAdvantage),    column(SampleColumn::kReturn)};
  minibatch.recurrence = gather_recurrence(update, indices);
  return minibatch;
}

ForwardPass TorchBackend::forward_all(const at::Tensor& obs, const Recurrence& recurrence) {
  return {.output = network().forward(obs, recurrence), .more = {}, .saved = {}};
}

at::Tensor TorchBackend::backward(const PpoConfig& config, const Minibatch& minibatch,
                                  const ForwardPass& pass, const at::Tensor& extra_loss) {
  const PpoTerms terms = ppo_terms(config, network().shape().actions, minibatch, pass.output);
  at::Tensor total = terms.policy_loss + config.value_coef * terms.value_loss -
                     config.entropy_coef * terms.entropy;
  if (extra_loss.defined()) total = total + extra_loss;
  total.backward();
  const at::NoGradGuard no_grad;
  const at::Tensor zero = at::zeros_like(total);
  std::array<at::Tensor, LossColumn::kCount> row;
  row[LossColumn::kValueLoss] = terms.value_loss;
  row[LossColumn::kPolicyLoss] = terms.policy_loss;
  row[LossColumn::kEntropy] = terms.entropy;
  row[LossColumn::kExtraLoss] = extra_loss.defined() ? extra_loss : zero;
  row[LossColumn::kTotal] = total;
  row[LossColumn::kGradNorm] = zero;
  row[LossColumn::kClipFraction] = terms.clip_fraction;
  row[LossColumn::kApproxKl] = terms.approx_kl;
  return at::stack(row);
}

void TorchBackend::step(const at::Tensor& losses, const at::Tensor& broken, Adam& adam) {
  adam.step(losses[LossColumn::kTotal], broken, losses[LossColumn::kGradNorm]);
}

void TorchBackend::store_losses(const at::Tensor& losses, const UpdateTensors& update) {
  update.losses.index_copy_(0, update.position, losses.unsqueeze(0));
  update.position.add_(1);
}

}  // namespace plr::learn
