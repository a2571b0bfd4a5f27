#include "plr/learn/torch_inference.h"

#include <ATen/ATen.h>

#include <cassert>
#include <vector>

#include "plr/learn/action_distribution.h"
#include "plr/learn/action_noise.h"
#include "plr/learn/device_stream.h"

namespace plr::learn {

using collect::InferenceItem;
using collect::InferenceResult;

TorchInference::TorchInference(const Network& network, const PolicyConfig& config,
                               std::size_t num_slots, const RolloutTensors& rollout)
    : network_(network), config_(config), buffers_(network, num_slots), rollout_(rollout) {
  for (std::size_t i = 0; i < config.num_groups; ++i) graphs_.emplace_back(network.device());
  const auto length = static_cast<std::int64_t>(num_slots);
  const bool pinned = network.device().is_cuda();
  const at::TensorOptions device(network.device());
  const auto wide_size = static_cast<std::int64_t>(network.shape().actions.wide_size());
  const std::vector<std::int64_t> noise_shape =
      wide_size == 0 ? std::vector{length} : std::vector{length, wide_size};
  host_noise_ = at::zeros(noise_shape, at::TensorOptions(at::kDouble).pinned_memory(pinned));
  noise_ = at::zeros(noise_shape, device.dtype(at::kDouble));
  obs_ = at::zeros(buffers_.host_obs.sizes(), device.dtype(network.shape().obs_scalar()));
  results_ = at::zeros({length, 4}, device.dtype(at::kFloat));
  wide_actions_ = at::zeros({length, wide_size}, device.dtype(at::kFloat));
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
  const ActionSpace& space = network_.shape().actions;
  for (const InferenceItem& item : items) {
    auto* noise = host_noise_.mutable_data_ptr<double>();
    const auto offset = static_cast<std::size_t>(item.slot) * space.size();
    action_noise(space, item.uniform, {noise + offset, space.size()});
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
  own(buffers_.host_wide_actions).copy_(own(wide_actions_));
  const auto* computed = static_cast<const InferenceResult*>(results_.const_data_ptr());
  for (const InferenceItem& item : items) {
    const auto slot = static_cast<std::size_t>(item.slot);
    write_result(computed[slot], results()[slot]);
  }
}

// From obs_ and host_noise_ to wide_actions_ and results_, and on CUDA to those on the host, for
// slots first <= slot < end.
void TorchInference::compute(std::int64_t first, std::int64_t end) {
  const auto own = [&](const at::Tensor& all) { return all.slice(0, first, end); };
  const at::Tensor noise = own(noise_);
  noise.copy_(own(host_noise_), /*non_blocking=*/true);
  Recurrence recurrence;
  if (network_.is_recurrent()) {
    const at::Tensor resets = resets_.slice(1, first, end);
    resets.copy_(host_resets_.slice(1, first, end), /*non_blocking=*/true);
    recurrence = {.state = own(rollout_.state), .resets = resets};
  }
  const Output output = network_.forward(own(obs_), recurrence);
  if (network_.is_recurrent()) own(next_state_).copy_(output.state);
  const ActionSpace& space = network_.shape().actions;
  const ActionDistribution policy(space, output.logits);
  const at::Tensor actions = config_.greedy ? policy.mode() : policy.sample(noise);
  const at::Tensor choices =
      space.is_discrete() ? actions.to(at::kFloat) : at::zeros_like(output.value);
  at::Tensor results = own(results_);
  at::stack_out(results,
                {choices, policy.log_prob(actions), output.value,
                 policy.policy_terms(config_.score_function)},
                1);
  if (!space.is_discrete()) own(wide_actions_).copy_(actions);
  if (!results.is_cuda()) return;
  // In this order: an action is written before its result.
  own(buffers_.host_wide_actions).copy_(own(wide_actions_), /*non_blocking=*/true);
  own(buffers_.host_results).copy_(results, /*non_blocking=*/true);
}

void TorchInference::check_device() { synchronize(network_.device()); }

}  // namespace plr::learn
