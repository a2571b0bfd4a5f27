#include "plr/learn/action_distribution.h"

#include <ATen/ATen.h>

#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

namespace plr::learn {
namespace {

const double kLogRoot2Pi = 0.5 * std::log(2 * std::numbers::pi);

// The smallest choice whose cumulative probability exceeds its uniform number.
at::Tensor sample_choices(const at::Tensor& logits, const at::Tensor& uniforms) {
  const at::Tensor cumulative = at::softmax(logits, 1, at::kDouble).cumsum(1);
  const at::Tensor passed = cumulative.le(uniforms.unsqueeze(1)).sum(1);
  // Rounding may leave the last cumulative probability just below 1.
  return passed.clamp_max(logits.size(1) - 1);
}

// The two highest probabilities of each row; the second is 0 if there is one choice.
struct BestTwo {
  at::Tensor first;   // [B]
  at::Tensor second;  // [B]
};

BestTwo best_two(const at::Tensor& p) {
  if (p.size(1) == 1) return {p.select(1, 0), at::zeros_like(p.select(1, 0))};
  const at::Tensor best = std::get<0>(p.topk(2, 1));
  return {best.select(1, 0), best.select(1, 1)};
}

// The same of the joint distribution of independent words: the second highest probability differs
// from the highest in one word.
BestTwo joint_best_two(const std::vector<at::Tensor>& log_probs) {
  BestTwo joint = best_two(log_probs[0].exp());
  for (std::size_t i = 1; i < log_probs.size(); ++i) {
    const BestTwo word = best_two(log_probs[i].exp());
    joint = {joint.first * word.first,
             at::maximum(joint.second * word.first, joint.first * word.second)};
  }
  return joint;
}

// The entropy of the joint distribution relative to that of equal probabilities.
at::Tensor relative_entropy(const std::vector<at::Tensor>& log_probs) {
  at::Tensor sum;
  double greatest = 0;
  for (const at::Tensor& word : log_probs) {
    const at::Tensor p = word.exp();
    const at::Tensor entropy = -at::xlogy(p, p).sum(1);
    sum = sum.defined() ? sum + entropy : entropy;
    greatest += std::log(static_cast<double>(p.size(1)));
  }
  return sum / greatest;
}

}  // namespace

std::int64_t num_outputs(const ActionSpace& space) {
  if (space.is_continuous()) return 2 * static_cast<std::int64_t>(space.size());
  return std::accumulate(space.counts.begin(), space.counts.end(), std::int64_t{0});
}

ActionDistribution::ActionDistribution(const ActionSpace& space, const at::Tensor& outputs)
    : space_(space) {
  assert(outputs.size(1) == num_outputs(space));
  if (space.is_continuous()) {
    const auto size = static_cast<std::int64_t>(space.size());
    mean_ = outputs.narrow(1, 0, size);
    log_deviation_ = outputs.narrow(1, size, size);
    return;
  }
  std::int64_t first = 0;
  for (const int count : space.counts) {
    logits_.push_back(space.size() == 1 ? outputs : outputs.narrow(1, first, count));
    log_probs_.push_back(at::log_softmax(logits_.back(), 1));
    first += count;
  }
}

at::Tensor ActionDistribution::log_prob(const at::Tensor& actions) const {
  if (space_.is_continuous()) {
    const at::Tensor distance = (actions - mean_) * (-log_deviation_).exp();
    return (-0.5 * distance.square() - log_deviation_ - kLogRoot2Pi).sum(1);
  }
  at::Tensor sum;
  for (std::size_t i = 0; i < log_probs_.size(); ++i) {
    const at::Tensor words =
        actions.dim() == 1 ? actions : actions.select(1, static_cast<std::int64_t>(i));
    const at::Tensor one = log_probs_[i].gather(1, words.unsqueeze(1)).squeeze(1);
    sum = i == 0 ? one : sum + one;
  }
  return sum;
}

at::Tensor ActionDistribution::entropy() const {
  if (space_.is_continuous()) return (log_deviation_ + (0.5 + kLogRoot2Pi)).sum(1);
  at::Tensor sum;
  for (std::size_t i = 0; i < log_probs_.size(); ++i) {
    const at::Tensor one = -(log_probs_[i].exp() * log_probs_[i]).sum(1);
    sum = i == 0 ? one : sum + one;
  }
  return sum;
}

at::Tensor ActionDistribution::sample(const at::Tensor& noise) const {
  if (space_.is_continuous()) return mean_ + log_deviation_.exp() * noise.to(at::kFloat);
  if (noise.dim() == 1) return sample_choices(logits_[0], noise);
  std::vector<at::Tensor> words;
  for (std::size_t i = 0; i < logits_.size(); ++i) {
    words.push_back(sample_choices(logits_[i], noise.select(1, static_cast<std::int64_t>(i))));
  }
  return at::stack(words, 1);
}

at::Tensor ActionDistribution::mode() const {
  if (space_.is_continuous()) return mean_;
  if (space_.kind == ActionSpace::Kind::kDiscrete) return logits_[0].argmax(1);
  std::vector<at::Tensor> words;
  for (const at::Tensor& logits : logits_) words.push_back(logits.argmax(1));
  return at::stack(words, 1);
}

at::Tensor ActionDistribution::policy_terms(ScoreFunction function) const {
  assert(!space_.is_continuous() || !needs_policy_term(function));
  switch (function) {
    case ScoreFunction::kPolicyEntropy:
      return relative_entropy(log_probs_);
    case ScoreFunction::kLeastConfidence:
      return 1 - joint_best_two(log_probs_).first;
    case ScoreFunction::kMinMargin: {
      const auto [first, second] = joint_best_two(log_probs_);
      return 1 - (first - second);
    }
    default: {
      const at::Tensor& any = space_.is_continuous() ? mean_ : log_probs_[0];
      return at::zeros({any.size(0)}, any.options());
    }
  }
}

}  // namespace plr::learn
