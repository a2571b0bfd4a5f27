#include "plr/learn/ppo_loss.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plr/learn/action_distribution.h"

namespace plr::learn {
namespace {

at::Tensor value_loss(const PpoConfig& config, const Minibatch& minibatch,
                      const at::Tensor& value) {
  const at::Tensor error = (value - minibatch.returns).square();
  if (!config.clip_value_loss) return 0.5 * error.mean();
  // The larger of two errors: a value beyond the clip is not rewarded for moving further.
  const at::Tensor clipped =
      minibatch.old_values + (value - minibatch.old_values).clamp(-config.clip, config.clip);
  return 0.5 * at::maximum(error, (clipped - minibatch.returns).square()).mean();
}

}  // namespace

PpoTerms ppo_terms(const PpoConfig& config, const ActionSpace& space, const Minibatch& minibatch,
                   const Output& output) {
  const ActionDistribution policy(space, output.logits);
  const at::Tensor log_ratio = policy.log_prob(minibatch.actions) - minibatch.old_log_probs;
  const at::Tensor ratio = log_ratio.exp();
  const at::Tensor clipped = ratio.clamp(1 - config.clip, 1 + config.clip);

  PpoTerms terms;
  terms.policy_loss =
      -at::minimum(ratio * minibatch.advantages, clipped * minibatch.advantages).mean();
  terms.value_loss = value_loss(config, minibatch, output.value);
  terms.entropy = policy.entropy().mean();

  const at::NoGradGuard no_grad;
  terms.clip_fraction = (ratio - 1).abs().gt(config.clip).to(at::kFloat).mean();
  terms.approx_kl = (ratio - 1 - log_ratio).mean();
  return terms;
}

}  // namespace plr::learn
