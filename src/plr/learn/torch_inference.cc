#include "plr/learn/torch_inference.h"

#include <ATen/ATen.h>

#include <cmath>

namespace plr::learn {
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
                               std::size_t max_batch)
    : network_(network), config_(config), buffers_(network, max_batch), done_(network.device()) {}

void TorchInference::submit(const at::Tensor& obs, std::span<const double> uniforms) {
  const c10::InferenceMode inference;
  batch_ = uniforms.size();
  const std::int64_t batch = obs.size(0);
  buffers_.set_uniforms(uniforms);
  buffers_.obs.narrow(0, 0, batch).copy_(obs, /*non_blocking=*/true);
  graphs_.try_emplace(batch, network_.device()).first->second.run([&] { compute(batch); });
  done_.record();
}

// From buffers_.obs and host_uniforms to host_results.
void TorchInference::compute(std::int64_t batch) {
  const at::Tensor u = buffers_.uniforms.narrow(0, 0, batch);
  u.copy_(buffers_.host_uniforms.narrow(0, 0, batch), /*non_blocking=*/true);
  const Output output = network_.forward(buffers_.obs.narrow(0, 0, batch));
  const at::Tensor all_log_probs = at::log_softmax(output.logits, 1);
  const at::Tensor actions =
      config_.greedy ? output.logits.argmax(1) : sample_actions(output.logits, u);
  const at::Tensor log_probs = all_log_probs.gather(1, actions.unsqueeze(1)).squeeze(1);
  // One small copy back; rows of InferenceResult.
  const at::Tensor results = at::stack({actions.to(at::kFloat), log_probs, output.value,
                                        policy_terms(config_.score_function, all_log_probs)},
                                       1);
  buffers_.host_results.narrow(0, 0, batch).copy_(results, /*non_blocking=*/true);
}

std::span<const InferenceResult> TorchInference::collect() {
  done_.wait();
  return buffers_.results(batch_);
}

}  // namespace plr::learn
