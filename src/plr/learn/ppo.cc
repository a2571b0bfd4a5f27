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

namespace plr::learn {
namespace {

// Added to the deviation of the advantages as in the released code: if all are equal, they become
// 0.
constexpr double kDeviationEpsilon = 1e-5;

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

// From a row of UpdateTensors::losses.
PpoLosses losses_from(const at::Tensor& row) {
  const auto* x = row.const_data_ptr<float>();
  return {.value_loss = x[LossColumn::kValueLoss],
          .policy_loss = x[LossColumn::kPolicyLoss],
          .entropy = x[LossColumn::kEntropy],
          .extra_loss = x[LossColumn::kExtraLoss],
          .total = x[LossColumn::kTotal],
          .grad_norm = x[LossColumn::kGradNorm],
          .clip_fraction = x[LossColumn::kClipFraction],
          .approx_kl = x[LossColumn::kApproxKl]};
}

std::string not_finite(const PpoLosses& losses, std::int64_t update, std::int64_t minibatch,
                       std::int64_t num_minibatches) {
  std::ostringstream text;
  text << "update " << update << ", mini-batch " << minibatch << " of " << num_minibatches
       << ": the loss is not finite (value loss " << losses.value_loss << ", policy loss "
       << losses.policy_loss << ", entropy " << losses.entropy << ", gradient norm "
       << losses.grad_norm << "); the weights are those after the previous mini-batch";
  return text.str();
}

}  // namespace

Ppo::Ppo(Backend& backend, const PpoConfig& config, Random minibatches)
    : backend_(backend),
      config_(config),
      stream_(minibatches),
      adam_(backend.network().parameters(), config.adam) {
  check_fields(config);
  tensors_.broken = at::zeros({}, backend.network().parameters().values().options());
}

void Ppo::set_hooks(PpoHooks hooks) {
  hooks_ = std::move(hooks);
  steps_.clear();
}

PpoStats Ppo::update(const Rollout& rollout) {
  const auto num_samples = static_cast<std::int64_t>(rollout.num_samples());
  const bool is_recurrent = backend_.network().is_recurrent();
  const auto length = static_cast<std::int64_t>(is_recurrent ? rollout.num_steps() : 1);
  const std::int64_t size = num_samples / length / config_.num_minibatches * length;
  if (size < 1 || num_samples < 2) {
    throw std::invalid_argument("num_minibatches must be at most the " +
                                std::to_string(num_samples / length) +
                                (is_recurrent ? " slots" : " samples") +
                                " of a rollout, which must have at least 2 samples, not " +
                                std::to_string(config_.num_minibatches));
  }
  prepare(rollout, size);
  load(rollout);
  draw_permutations();
  tensors_.broken.zero_();
  tensors_.position.zero_();
  const std::int64_t num_steps = tensors_.losses.size(0);
  if (hooks_.begin) hooks_.begin(rollout, num_steps, size);
  const std::int64_t kind = hooks_.kind ? hooks_.kind() : 0;
  CudaGraphRunner& step = steps_.try_emplace(kind, backend_.network().device()).first->second;
  for (std::int64_t i = 0; i < num_steps; ++i) {
    if (hooks_.prepare) hooks_.prepare(i);
    step.run([&] { learn_from_next(); });
  }
  return summary(rollout);
}

// Allocates the tensors that all updates from rollouts of this size use: CUDA graphs need them at
// the same addresses.
void Ppo::prepare(const Rollout& rollout, std::int64_t size) {
  UpdateTensors& t = tensors_;
  const at::Tensor obs = rollout.obs().flatten(0, 1);
  if (t.obs.defined() && t.obs.is_same_size(obs) && t.obs.data_ptr() == obs.data_ptr()) return;
  const auto n = static_cast<std::int64_t>(rollout.num_samples());
  const std::int64_t num_steps = config_.epochs * config_.num_minibatches;
  const at::Device device = backend_.network().device();
  const at::TensorOptions here(device);
  const auto on_host = at::TensorOptions().pinned_memory(device.is_cuda());
  t.obs = obs;
  host_samples_ = at::empty({n, SampleColumn::kCount}, on_host.dtype(at::kFloat));
  host_permutations_ = at::empty({num_steps, size}, on_host.dtype(at::kLong));
  t.samples = at::empty({n, SampleColumn::kCount}, here);
  t.permutations = at::empty({num_steps, size}, here.dtype(at::kLong));
  t.position = at::zeros({1}, here.dtype(at::kLong));
  t.losses = at::zeros({num_steps, LossColumn::kCount}, here);
  if (backend_.network().is_recurrent()) {
    t.sequence_length = static_cast<std::int64_t>(rollout.num_steps());
    t.first_state = rollout.first_state();
    host_resets_ = at::empty({n}, on_host.dtype(at::kFloat));
    t.resets = at::empty({n}, here);
  }
  steps_.clear();
}

// Copies all but the observations to the device, the advantages normalized.
void Ppo::load(const Rollout& rollout) {
  const std::span<const float> advantages = rollout.advantages.all();
  const bool normalizes = config_.normalize_advantages && !config_.minibatch_advantages;
  const Moments m = moments(advantages);
  advantage_deviation_ = std::sqrt(m.variance);
  const double mean = normalizes ? m.mean : 0;
  const double deviation = normalizes ? advantage_deviation_ + kDeviationEpsilon : 1;
  auto* row = host_samples_.mutable_data_ptr<float>();
  for (std::size_t i = 0; i < rollout.num_samples(); ++i, row += SampleColumn::kCount) {
    row[SampleColumn::kAction] = static_cast<float>(rollout.actions.all()[i]);
    row[SampleColumn::kLogProb] = rollout.log_probs.all()[i];
    row[SampleColumn::kValue] = rollout.values.all()[i];
    row[SampleColumn::kAdvantage] = static_cast<float>((advantages[i] - mean) / deviation);
    row[SampleColumn::kReturn] = rollout.returns.all()[i];
  }
  tensors_.samples.copy_(host_samples_, /*non_blocking=*/true);
  if (!tensors_.resets.defined()) return;
  std::ranges::copy(rollout.begins.all(), host_resets_.mutable_data_ptr<float>());
  tensors_.resets.copy_(host_resets_, /*non_blocking=*/true);
}

// A new permutation for every epoch, always shuffled from the identity, so that it depends on the
// stream alone; mini-batches are parts of it, and what does not fill one is left out.  It permutes
// samples, or the slots of a recurrent network, whose mini-batches list all steps of their slots in
// time-major order.
void Ppo::draw_permutations() {
  const std::int64_t num_steps = tensors_.sequence_length;
  const std::int64_t num_columns = tensors_.samples.size(0) / num_steps;  // samples or slots
  std::vector<std::int64_t> permutation(static_cast<std::size_t>(num_columns));
  const std::int64_t size = tensors_.permutations.size(1) / num_steps;
  auto* to = host_permutations_.mutable_data_ptr<std::int64_t>();
  for (int epoch = 0; epoch < config_.epochs; ++epoch) {
    std::iota(permutation.begin(), permutation.end(), 0);
    if (hooks_.permute) {
      hooks_.permute(permutation);
    } else {
      stream_.shuffle(std::span(permutation));
    }
    for (int i = 0; i < config_.num_minibatches; ++i) {
      for (std::int64_t step = 0; step < num_steps; ++step) {
        to = std::transform(permutation.begin() + i * size, permutation.begin() + (i + 1) * size,
                            to, [&](std::int64_t column) { return step * num_columns + column; });
      }
    }
  }
  tensors_.permutations.copy_(host_permutations_, /*non_blocking=*/true);
}

// One gradient step, from the mini-batch at tensors_.position.
void Ppo::learn_from_next() {
  Minibatch minibatch = backend_.gather(tensors_);
  if (hooks_.transform) hooks_.transform(minibatch);
  if (config_.normalize_advantages && config_.minibatch_advantages) {
    const at::Tensor& a = minibatch.advantages;
    minibatch.advantages = (a - a.mean()) / (a.std(/*unbiased=*/false) + kDeviationEpsilon);
  }
  const at::Tensor more_obs = hooks_.more_obs ? hooks_.more_obs(minibatch) : at::Tensor();
  const ForwardPass pass = backend_.forward(minibatch, more_obs);
  const at::Tensor extra_loss =
      hooks_.extra_loss ? hooks_.extra_loss(minibatch, pass.output, pass.more) : at::Tensor();
  backend_.network().parameters().grads().zero_();
  const at::Tensor losses = backend_.backward(config_, minibatch, pass, extra_loss);
  const at::NoGradGuard no_grad;
  // After the first mini-batch that is not finite, this update changes nothing more.
  backend_.step(losses, tensors_.broken, adam_);
  backend_.store_losses(losses, tensors_);
}

PpoStats Ppo::summary(const Rollout& rollout) const {
  const at::Tensor table = tensors_.losses.cpu();
  PpoStats stats;
  for (std::int64_t i = 0; i < table.size(0); ++i) {
    const PpoLosses losses = losses_from(table[i]);
    if (!std::isfinite(losses.total) || !std::isfinite(losses.grad_norm)) {
      // The optimizer has counted the finite mini-batches of this update and of all before.
      const std::int64_t updates_before = (adam_.num_steps() - i) / table.size(0);
      throw std::runtime_error(not_finite(losses, updates_before + 1, i + 1, table.size(0)));
    }
    stats.minibatches.push_back(losses);
  }
  stats.mean = losses_from(table.mean(0));
  stats.advantage_deviation = advantage_deviation_;
  stats.explained_variance = explained_variance(rollout);
  return stats;
}

std::vector<NamedTensor> Ppo::state() const {
  const Parameters& parameters = backend_.network().parameters();
  std::vector<NamedTensor> named = parameters.views(parameters.values());
  for (NamedTensor& tensor : adam_.named_state()) named.push_back(std::move(tensor));
  return named;
}

}  // namespace plr::learn
