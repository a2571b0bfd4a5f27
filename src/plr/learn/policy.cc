#include "plr/learn/policy.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

namespace plr::learn {
namespace {

// In double, so that the draw depends on the logits alone and not on how a device sums.
at::Tensor draw(const at::Tensor& logits, const at::Tensor& uniforms) {
  const at::Tensor cumulative = at::softmax(logits, 1, at::kDouble).cumsum(1);
  const at::Tensor passed = cumulative.le(uniforms.unsqueeze(1)).sum(1);
  // Rounding may leave the last cumulative probability just below 1.
  return passed.clamp_max(logits.size(1) - 1);
}

// policy_term() of core/episode_scorer.h for a batch, on the device.
at::Tensor term_of(ScoreFunction function, const at::Tensor& log_probs) {
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

cuda::PolicyTerm cuda_term(ScoreFunction function) {
  switch (function) {
    case ScoreFunction::kPolicyEntropy:
      return cuda::PolicyTerm::kEntropy;
    case ScoreFunction::kLeastConfidence:
      return cuda::PolicyTerm::kLeastConfidence;
    case ScoreFunction::kMinMargin:
      return cuda::PolicyTerm::kMinMargin;
    default:
      return cuda::PolicyTerm::kNone;
  }
}

// What stands where a number of the decision is still to come: a NaN that no computation gives.
constexpr std::uint32_t kNotYet = 0xffffffff;
// Looks before one asks the device whether it has failed; some milliseconds.
constexpr int kLooks = 1 << 17;

bool is_there(cuda::InferenceResult& decision) {
  const auto has_come = [](float& x) {
    const float now = std::atomic_ref(x).load(std::memory_order_acquire);
    return std::bit_cast<std::uint32_t>(now) != kNotYet;
  };
  return has_come(decision.action) && has_come(decision.log_prob) && has_come(decision.value) &&
         has_come(decision.term);
}

}  // namespace

Policy::Policy(const Network& network, const PolicyConfig& config, std::size_t max_batch)
    : network_(network), config_(config), asked_(network.device()) {
  const auto length = static_cast<std::int64_t>(max_batch);
  const NetworkShape& shape = network.shape();
  const bool pinned = network.device().is_cuda();
  host_uniforms_ = at::zeros({length}, at::TensorOptions(at::kDouble).pinned_memory(pinned));
  host_results_ = at::zeros({length, 4}, at::TensorOptions(at::kFloat).pinned_memory(pinned));
  uniforms_ = at::zeros({length}, at::TensorOptions(network.device()).dtype(at::kDouble));
  obs_ = at::zeros({length, shape.height, shape.width, shape.channels},
                   at::TensorOptions(network.device()).dtype(at::kByte));
  refresh();
}

void Policy::act(const at::Tensor& obs, std::span<const double> uniforms, const Decisions& out) {
  ask(obs, uniforms);
  answer(out);
}

void Policy::ask(const at::Tensor& obs, std::span<const double> uniforms) {
  if (obs.size(0) > host_uniforms_.size(0)) {
    throw std::invalid_argument("obs: " + std::to_string(obs.size(0)) +
                                " observations are more than the " +
                                std::to_string(host_uniforms_.size(0)) + " foreseen");
  }
  num_asked_ = static_cast<std::size_t>(obs.size(0));
  num_looks_ = 0;
  check(uniforms.size(), "uniforms");
  std::ranges::copy(uniforms, host_uniforms_.mutable_data_ptr<double>());
  order(obs);
}

void Policy::answer(const Decisions& out) {
  check(out.actions.size(), "actions");
  check(out.log_probs.size(), "log_probs");
  check(out.values.size(), "values");
  if (!out.terms.empty()) check(out.terms.size(), "terms");
  wait();
  for (std::size_t i = 0; i < num_asked_; ++i) {
    const cuda::InferenceResult& decision = decisions()[i];
    out.actions[i] = static_cast<std::int32_t>(decision.action);
    out.log_probs[i] = decision.log_prob;
    out.values[i] = decision.value;
    if (!out.terms.empty()) out.terms[i] = decision.term;
  }
}

void Policy::answer_values(std::span<float> values) {
  check(values.size(), "values");
  wait();
  std::ranges::transform(decisions(), values.begin(), &cuda::InferenceResult::value);
}

std::span<cuda::InferenceResult> Policy::decisions() const {
  return {static_cast<cuda::InferenceResult*>(host_results_.mutable_data_ptr()), num_asked_};
}

bool Policy::is_answered() {
  if (!network_.actor().act) return asked_.is_reached();
  if (std::ranges::all_of(decisions(), is_there)) return true;
  if (++num_looks_ < kLooks) return false;
  wait_for(network_.device());  // should it have failed, this says so
  if (std::ranges::all_of(decisions(), is_there)) return true;
  throw std::runtime_error("the device is done, but has decided nothing");
}

// Until the decisions are there.
void Policy::wait() {
  if (!network_.actor().act) return asked_.wait();
  while (!is_answered()) {
  }
}

// From the observations and host_uniforms_ to host_results_.
void Policy::order(const at::Tensor& obs) {
  const c10::InferenceMode inference;
  const std::int64_t batch = obs.size(0);
  const bool in_place = obs.device() == obs_.device() && network_.actor().act;
  const at::Tensor seen = in_place ? obs : obs_.narrow(0, 0, batch);
  if (!in_place) seen.copy_(obs, /*non_blocking=*/true);
  if (!network_.actor().act) {
    deciding_.try_emplace(batch, network_.device()).first->second([&] { decide(batch); });
    asked_.pass();
    return;
  }
  std::ranges::fill(decisions(), std::bit_cast<cuda::InferenceResult>(
                                     std::array{kNotYet, kNotYet, kNotYet, kNotYet}));
  network_.actor().act({.obs = seen.const_data_ptr<std::uint8_t>(),
                        .uniforms = host_uniforms_.const_data_ptr<double>(),
                        .results = decisions().data(),
                        .device_uniforms = uniforms_.mutable_data_ptr<double>(),
                        .batch = static_cast<int>(batch),
                        .num_actions = static_cast<int>(network_.shape().num_actions),
                        .greedy = config_.greedy,
                        .term = cuda_term(config_.score_function)});
}

void Policy::refresh() {
  if (network_.actor().refresh) network_.actor().refresh();
}

// From obs_ and host_uniforms_ to host_results_, by libtorch.
void Policy::decide(std::int64_t batch) {
  const at::Tensor u = uniforms_.narrow(0, 0, batch);
  u.copy_(host_uniforms_.narrow(0, 0, batch), /*non_blocking=*/true);
  const Output output = network_.forward(obs_.narrow(0, 0, batch));
  const at::Tensor all_log_probs = at::log_softmax(output.logits, 1);
  const at::Tensor actions = config_.greedy ? output.logits.argmax(1) : draw(output.logits, u);
  const at::Tensor log_probs = all_log_probs.gather(1, actions.unsqueeze(1)).squeeze(1);
  // One small copy back; an action is small enough to be exact as a float.
  const at::Tensor results = at::stack({actions.to(at::kFloat), log_probs, output.value,
                                        term_of(config_.score_function, all_log_probs)},
                                       1);
  host_results_.narrow(0, 0, batch).copy_(results, /*non_blocking=*/true);
}

void Policy::check(std::size_t length, const char* name) const {
  if (length != num_asked_) {
    throw std::invalid_argument(std::string(name) + ": " + std::to_string(length) +
                                " elements for " + std::to_string(num_asked_) + " observations");
  }
}

}  // namespace plr::learn
