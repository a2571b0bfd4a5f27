#include "plr/learn/ppo.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "plr/learn/own_step.h"
#include "plr/learn/ppo_loss.h"

namespace plr::learn {
namespace {

// The columns of Ppo::samples_.
enum Column { kAction, kLogProb, kValue, kAdvantage, kReturn, kNumColumns };

// The columns of Ppo::table_ that are met by themselves; all are PpoLosses' fields in order.
constexpr std::int64_t kTotal = 4;
constexpr std::int64_t kGradNorm = 5;
constexpr std::int64_t kNumLosses = 8;

struct Moments {
  double mean = 0;
  double variance = 0;  // unbiased
};

Moments moments(std::span<const float> numbers) {
  Moments m;
  for (const float x : numbers) m.mean += x;
  m.mean /= static_cast<double>(numbers.size());
  for (const float x : numbers) m.variance += (x - m.mean) * (x - m.mean);
  m.variance /= static_cast<double>(numbers.size() - 1);
  return m;
}

double explained_variance(const Rollout& rollout) {
  const std::span<const float> returns = rollout.returns.all();
  std::vector<float> errors(returns.size());
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = returns[i] - rollout.values.all()[i];
  const double variance = moments(returns).variance;
  return variance > 0 ? 1 - moments(errors).variance / variance : 0;
}

// What the network makes of two batches, in one pass; the second may be missing.
std::pair<Output, Output> forward_both(const Network& network, const at::Tensor& obs,
                                       const at::Tensor& more_obs) {
  if (!more_obs.defined()) return {network.forward(obs), {}};
  const Output both = network.forward(at::cat({obs, more_obs}));
  const auto part = [&](std::int64_t first, std::int64_t count) -> Output {
    return {both.logits.narrow(0, first, count), both.value.narrow(0, first, count)};
  };
  return {part(0, obs.size(0)), part(obs.size(0), more_obs.size(0))};
}

// By libtorch, as OwnStep::backward().
at::Tensor backward(const PpoConfig& config, const Minibatch& minibatch, const Output& output,
                    const at::Tensor& extra) {
  const PpoTerms terms = ppo_terms(config, minibatch, output);
  at::Tensor total = terms.policy_loss + config.value_coef * terms.value_loss -
                     config.entropy_coef * terms.entropy;
  if (extra.defined()) total = total + extra;
  total.backward();
  const at::NoGradGuard no_grad;
  const at::Tensor zero = at::zeros_like(total);
  return at::stack({terms.value_loss, terms.policy_loss, terms.entropy,
                    extra.defined() ? extra : zero, total, zero, terms.clip_fraction,
                    terms.approx_kl});
}

PpoLosses losses_of(const at::Tensor& row) {
  const auto* x = row.const_data_ptr<float>();
  return {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
}

std::string complaint(const PpoLosses& losses, std::int64_t update, std::int64_t minibatch,
                      std::int64_t num_minibatches) {
  std::ostringstream text;
  text << "update " << update << ", mini-batch " << minibatch << " of " << num_minibatches
       << ": the loss is not finite (value loss " << losses.value_loss << ", policy loss "
       << losses.policy_loss << ", entropy " << losses.entropy << ", gradient norm "
       << losses.grad_norm << "); the weights are as the mini-batch before left them";
  return text.str();
}

}  // namespace

Ppo::Ppo(Network& network, const PpoConfig& config, Random minibatches, Kernels kernels)
    : network_(network),
      config_(config),
      stream_(minibatches),
      adam_(network.parameters(), config.adam, kernels),
      broken_(at::zeros({}, network.parameters().values().options())) {
  check_fields(config);
  if (auto own = OwnStep::on(network.device(), kernels)) own_ = std::make_shared<OwnStep>(*own);
}

void Ppo::set_hooks(PpoHooks hooks) {
  hooks_ = std::move(hooks);
  steps_.clear();
}

PpoStats Ppo::update(const Rollout& rollout) {
  const auto num_samples = static_cast<std::int64_t>(rollout.num_samples());
  const std::int64_t size = num_samples / config_.num_minibatches;
  if (size < 1 || num_samples < 2) {
    throw std::invalid_argument("num_minibatches: " + std::to_string(config_.num_minibatches) +
                                " is more than a rollout of " + std::to_string(num_samples) +
                                " samples gives");
  }
  prepare(rollout, size);
  load(rollout);
  draw_orders();
  broken_.zero_();
  position_.zero_();
  if (hooks_.begin) hooks_.begin(rollout, table_.size(0), size);
  const std::int64_t kind = hooks_.kind ? hooks_.kind() : 0;
  Repeated& step = steps_.try_emplace(kind, network_.device()).first->second;
  for (std::int64_t i = 0; i < table_.size(0); ++i) {
    if (hooks_.prepare) hooks_.prepare(i);
    step([&] {
      Minibatch minibatch = gather();
      if (hooks_.transform) hooks_.transform(minibatch);
      learn_from(minibatch);
    });
  }
  return summary(rollout);
}

// Makes the tensors that every update of such rollouts uses; they stay where they are, as
// repeating demands.
void Ppo::prepare(const Rollout& rollout, std::int64_t size) {
  const at::Tensor obs = rollout.obs().flatten(0, 1);
  if (obs_.defined() && obs_.is_same_size(obs) && obs_.data_ptr() == obs.data_ptr()) return;
  const auto n = static_cast<std::int64_t>(rollout.num_samples());
  const std::int64_t num_steps = config_.epochs * config_.num_minibatches;
  const at::TensorOptions here(network_.device());
  const auto on_host = at::TensorOptions().pinned_memory(network_.device().is_cuda());
  obs_ = obs;
  host_samples_ = at::empty({n, kNumColumns}, on_host.dtype(at::kFloat));
  host_orders_ = at::empty({num_steps, size}, on_host.dtype(at::kLong));
  samples_ = at::empty({n, kNumColumns}, here);
  orders_ = at::empty({num_steps, size}, here.dtype(at::kLong));
  position_ = at::zeros({1}, here.dtype(at::kLong));
  table_ = at::zeros({num_steps, kNumLosses}, here);
  steps_.clear();
}

// Brings all but the observations to the device, the advantages normalized.
void Ppo::load(const Rollout& rollout) {
  const std::span<const float> advantages = rollout.advantages.all();
  const Moments m = config_.normalize_advantages ? moments(advantages) : Moments{0, 1};
  // 1e-5 as in the released code: a rollout without surprises stays without.
  const double deviation = config_.normalize_advantages ? std::sqrt(m.variance) + 1e-5 : 1;
  auto* row = host_samples_.mutable_data_ptr<float>();
  for (std::size_t i = 0; i < rollout.num_samples(); ++i, row += kNumColumns) {
    row[kAction] = static_cast<float>(rollout.actions.all()[i]);
    row[kLogProb] = rollout.log_probs.all()[i];
    row[kValue] = rollout.values.all()[i];
    row[kAdvantage] = static_cast<float>((advantages[i] - m.mean) / deviation);
    row[kReturn] = rollout.returns.all()[i];
  }
  samples_.copy_(host_samples_, /*non_blocking=*/true);
}

// A fresh order for every epoch, always shuffled from the same start, so that the stream alone
// decides it; mini-batches are rows of it, and what does not fill one is left out.
void Ppo::draw_orders() {
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples_.size(0)));
  const std::int64_t length = orders_.numel() / config_.epochs;
  auto* to = host_orders_.mutable_data_ptr<std::int64_t>();
  for (int epoch = 0; epoch < config_.epochs; ++epoch) {
    std::iota(order.begin(), order.end(), 0);
    if (hooks_.order) {
      hooks_.order(order);
    } else {
      stream_.shuffle(std::span(order));
    }
    to = std::copy_n(order.begin(), length, to);
  }
  orders_.copy_(host_orders_, /*non_blocking=*/true);
}

// The samples of the mini-batch at position_.
Minibatch Ppo::gather() {
  if (own_) return own_->gather(obs_, samples_, orders_, position_);
  const at::Tensor indices = orders_.index_select(0, position_).squeeze(0);
  const at::Tensor samples = samples_.index_select(0, indices);
  const auto column = [&](Column which) { return samples.select(1, which); };
  return {obs_.index_select(0, indices),
          column(kAction).to(at::kLong),
          column(kLogProb),
          column(kValue),
          column(kAdvantage),
          column(kReturn)};
}

// One step; notes what PpoLosses says of it in table_ and moves position_ on.
void Ppo::learn_from(const Minibatch& minibatch) {
  const at::Tensor more_obs = hooks_.more_obs ? hooks_.more_obs(minibatch) : at::Tensor();
  const auto [output, more] = forward_both(network_, minibatch.obs, more_obs);
  const at::Tensor extra =
      hooks_.extra_loss ? hooks_.extra_loss(minibatch, output, more) : at::Tensor();
  network_.parameters().grads().zero_();
  const at::Tensor losses = own_ ? own_->backward(config_, minibatch, output, extra)
                                 : backward(config_, minibatch, output, extra);
  const at::NoGradGuard no_grad;
  // From the first bad mini-batch on, this update changes nothing more.
  adam_.step(losses[kTotal], broken_, losses[kGradNorm]);
  if (own_) return own_->note(losses, table_, position_);
  table_.index_copy_(0, position_, losses.unsqueeze(0));
  position_.add_(1);
}

PpoStats Ppo::summary(const Rollout& rollout) const {
  const at::Tensor table = table_.cpu();
  PpoStats stats;
  for (std::int64_t i = 0; i < table.size(0); ++i) {
    const PpoLosses losses = losses_of(table[i]);
    if (!std::isfinite(losses.total) || !std::isfinite(losses.grad_norm)) {
      // The optimizer has counted the good mini-batches of this update and of all before.
      const std::int64_t updates_before = (adam_.num_steps() - i) / table.size(0);
      throw std::runtime_error(complaint(losses, updates_before + 1, i + 1, table.size(0)));
    }
    stats.minibatches.push_back(losses);
  }
  stats.mean = losses_of(table.mean(0));
  stats.explained_variance = explained_variance(rollout);
  return stats;
}

std::vector<NamedTensor> Ppo::state() const {
  std::vector<NamedTensor> named = network_.parameters().views(network_.parameters().values());
  for (NamedTensor& tensor : adam_.state()) named.push_back(std::move(tensor));
  return named;
}

}  // namespace plr::learn
