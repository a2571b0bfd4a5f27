#include "plr/learn/torch_inference.h"

#include <ATen/ATen.h>

#include <cassert>
#include <cmath>
#include <utility>

#include "plr/learn/device_stream.h"

namespace plr::learn {

using collect::InferenceItem;
using collect::InferenceResult;

namespace {

// The smallest action whose cumulative probability exceeds its uniform number.
at::Tensor sample_actions(const at::Tensor& logits, const at::Tensor& uniforms) {
  const at::Tensor cumulative = at::softmax(logits, 1, at::kDouble).cumsum(1);
  const at::Tensor passed = cumulative.le(uniforms.unsqueeze(1)).sum(1);
  // Rounding may leave the last cumulative probability just below 1.
  return passed.clamp_max(logits.size(1) - 1);
}

// policy_term() of core/episode_scorer.h for a batch, on the device.
at::Tensor policy_terms(ScoreFunction function, const at::Tensor& log_probs) {
  const at::Tensor p = log_probs.exp();
  switch (function) {
    case ScoreFunction::kPolicyEntropy:
      return -at::xlogy(p, p).sum(1) / std::log(static_cast<double>(p.size(1)));
    case ScoreFunction::kLeastConfidence:
      return 1 - p.amax(1);
    case ScoreFunction::kMinMargin: {
      const at::Tensor best = std::get<0>(p.topk(2, 1));
      return 1 - (best.select(1, 0) - best.select(1, 1));
    }
    default:
      return at::zeros({p.size(0)}, p.options());
  }
}

}  // namespace

TorchInference::TorchInference(const Network& network, const PolicyConfig& config,
                               std::size_t num_slots, const RolloutTensors& rollout)
    : network_(network), config_(config), buffers_(network, num_slots), rollout_(rollout) {
  for (std::size_t i = 0; i < config.num_groups; ++i) graphs_.emplace_back(network.device());
  const auto length = static_cast<std::int64_t>(num_slots);
  const bool pinned = network.device().is_cuda();
  const at::TensorOptions device(network.device());
  host_uniforms_ = at::zeros({length}, at::TensorOptions(at::kDouble).pinned_memory(pinned));
  uniforms_ = at::zeros({length}, device.dtype(at::kDouble));
  obs_ = at::zeros(buffers_.host_obs.sizes(), device.dtype(at::kByte));
  results_ = at::zeros({length, 4}, device.dtype(at::kFloat));
  if (!network.is_recurrent()) return;
  host_resets_ = at::zeros({1, length}, at::TensorOptions(at::kFloat).pinned_memory(pinned));
  resets_ = at::zeros({1, length}, device);
  next_state_ = at::zeros({length, network.state_size()}, device);
  if (!rollout_.state.defined()) rollout_.state = at::zeros_like(next_state_);
}

void TorchInference::submit(std::size_t /*lane*/, std::span<const InferenceItem> items) {
  const c10::InferenceMode inference;
  assert(items.size() == group_size());
  const auto first = static_cast<std::int64_t>(items.front().slot);
  const auto end = first + static_cast<std::int64_t>(items.size());
  for (const InferenceItem& item : items) {
    host_uniforms_.mutable_data_ptr<double>()[item.slot] = item.uniform;
  }
  const auto own = [&](const at::Tensor& all) { return all.slice(0, first, end); };
  own(obs_).copy_(own(buffers_.host_obs), /*non_blocking=*/true);
  const std::int64_t step = items.front().step;  // the same of all slots
  if (rollout_.obs.defined()) own(rollout_.obs[step]).copy_(own(obs_), /*non_blocking=*/true);
  if (network_.is_recurrent()) {
    if (step == 0 && rollout_.first_state.defined()) {
      own(rollout_.first_state).copy_(own(rollout_.state));
    }
    for (const InferenceItem& item : items) {
      host_resets_.mutable_data_ptr<float>()[item.slot] = item.begins_episode != 0 ? 1 : 0;
    }
  }
  graphs_[static_cast<std::size_t>(first) / items.size()].run([&] { compute(first, end); });
  if (network_.is_recurrent() && items.front().value_only == 0) {
    own(rollout_.state).copy_(own(next_state_));
  }
  if (network_.device().is_cuda()) return;
  const auto* computed = static_cast<const InferenceResult*>(results_.const_data_ptr());
  for (const InferenceItem& item : items) {
    const auto slot = static_cast<std::size_t>(item.slot);
    write_result(computed[slot], results()[slot]);
  }
}

// From obs_ and host_uniforms_ to results_, and on CUDA to the results on the host, for slots
// first <= slot < end.
void TorchInference::compute(std::int64_t first, std::int64_t end) {
  const auto own = [&](const at::Tensor& all) { return all.slice(0, first, end); };
  const at::Tensor uniforms = own(uniforms_);
  uniforms.copy_(own(host_uniforms_), /*non_blocking=*/true);
  Recurrence recurrence;
  if (network_.is_recurrent()) {
    const at::Tensor resets = resets_.slice(1, first, end);
    resets.copy_(host_resets_.slice(1, first, end), /*non_blocking=*/true);
    recurrence = {.state = own(rollout_.state), .resets = resets};
  }
  const Output output = network_.forward(own(obs_), recurrence);
  if (network_.is_recurrent()) own(next_state_).copy_(output.state);
  const at::Tensor all_log_probs = at::log_softmax(output.logits, 1);
  const at::Tensor actions =
      config_.greedy ? output.logits.argmax(1) : sample_actions(output.logits, uniforms);
  const at::Tensor log_probs = all_log_probs.gather(1, actions.unsqueeze(1)).squeeze(1);
  at::Tensor results = own(results_);
  at::stack_out(results,
                {actions.to(at::kFloat), log_probs, output.value,
                 policy_terms(config_.score_function, all_log_probs)},
                1);
  if (results.is_cuda()) own(buffers_.host_results).copy_(results, /*non_blocking=*/true);
}

void TorchInference::check_device() { synchronize(network_.device()); }

}  // namespace plr::learn
