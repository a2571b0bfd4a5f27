#include "plr/learn/ppo.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "plr/learn/device_stream.h"

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

Ppo::Ppo(Backend& backend, const PpoConfig& config, Random minibatches, const Shards& shards)
    : backend_(backend),
      config_(config),
      stream_(minibatches),
      shards_(shards),
      adam_(backend.network().parameters(), config.adam) {
  check_fields(config);
  tensors_.broken = at::zeros({}, backend.network().parameters().values().options());
  if (has_shards()) sums_ = std::make_unique<ShardSums>(shards, backend.network().parameters());
}

void Ppo::set_hooks(PpoHooks hooks) {
  hooks_ = std::move(hooks);
  graphs_.clear();
}

PpoStats Ppo::update(const Rollout& rollout) {
  const std::int64_t num_samples =
      static_cast<std::int64_t>(rollout.num_samples()) / shards_.count;  // of a shard
  const bool is_recurrent = backend_.network().is_recurrent();
  const auto length = static_cast<std::int64_t>(is_recurrent ? rollout.num_steps() : 1);
  const std::int64_t size = num_samples / length / config_.num_minibatches * length;
  if (size < 1 || num_samples < 2) {
    throw std::invalid_argument(
        "num_minibatches must be at most the " + std::to_string(num_samples / length) +
        (is_recurrent ? " slots" : " samples") + " of a " + (has_shards() ? "shard" : "rollout") +
        ", which must have at least 2 samples, not " + std::to_string(config_.num_minibatches));
  }
  prepare(rollout, size);
  load(rollout);
  draw_permutations(rollout);
  tensors_.broken.zero_();
  tensors_.position.zero_();
  const std::int64_t num_steps = losses_.size(0);
  if (hooks_.begin) hooks_.begin(rollout, num_steps * shards_.count, size);
  const std::int64_t kind = hooks_.kind ? hooks_.kind() : 0;
  const at::Device device = backend_.network().device();
  Graphs& graphs =
      graphs_.try_emplace(kind, Graphs{CudaGraphRunner(device), CudaGraphRunner(device)})
          .first->second;
  for (std::int64_t i = 0; i < num_steps; ++i) {
    if (i % config_.num_minibatches == 0) load_epoch(i / config_.num_minibatches);
    learn_from_next(graphs, i);
  }
  return summary(rollout);
}

// Allocates the tensors that all updates from rollouts of this size use: CUDA graphs need them at
// the same addresses.
void Ppo::prepare(const Rollout& rollout, std::int64_t size) {
  UpdateTensors& t = tensors_;
  const at::Tensor obs = rollout.obs().flatten(0, 1);
  if (t.obs.defined() && t.obs.is_same_size(obs) && t.obs.data_ptr() == obs.data_ptr()) return;
  const std::int64_t n =
      static_cast<std::int64_t>(rollout.num_steps()) * rollout.own_slots().size();
  const std::int64_t num_steps = config_.epochs * config_.num_minibatches;
  const at::Device device = backend_.network().device();
  const at::TensorOptions here(device);
  const auto on_host = at::TensorOptions().pinned_memory(device.is_cuda());
  t.obs = obs;
  const std::int64_t num_tables = normalizes_on_host() ? config_.epochs : 1;
  host_samples_ = at::empty({num_tables, n, SampleColumn::kCount}, on_host.dtype(at::kFloat));
  host_permutations_ = at::empty({num_steps * shards_.own, size}, on_host.dtype(at::kLong));
  t.samples = at::empty({n, SampleColumn::kCount}, here);
  const auto wide_size = static_cast<std::int64_t>(backend_.network().shape().actions.wide_size());
  host_wide_actions_ = at::empty({n, wide_size}, on_host.dtype(at::kFloat));
  t.wide_actions = at::empty({n, wide_size}, here);
  t.permutations = at::empty({num_steps * shards_.own, size}, here.dtype(at::kLong));
  t.position = at::zeros({1}, here.dtype(at::kLong));
  t.losses = at::zeros({num_steps * shards_.own, LossColumn::kCount}, here);
  losses_ = has_shards() ? at::zeros({num_steps, LossColumn::kCount}, here) : t.losses;
  if (backend_.network().is_recurrent()) {
    t.sequence_length = static_cast<std::int64_t>(rollout.num_steps());
    t.first_state = rollout.first_state();
    host_resets_ = at::empty({n}, on_host.dtype(at::kFloat));
    t.resets = at::empty({n}, here);
  }
  graphs_.clear();
}

// Writes the samples of this rank's slots to host memory, the advantages normalized over the
// rollout, and copies the resets of a recurrent network to the device.
void Ppo::load(const Rollout& rollout) {
  const std::span<const float> advantages = rollout.advantages.all();
  const bool normalizes = config_.normalize_advantages && !config_.minibatch_advantages;
  const Moments m = moments(advantages);
  advantage_deviation_ = std::sqrt(m.variance);
  const double mean = normalizes ? m.mean : 0;
  const double deviation = normalizes ? advantage_deviation_ + kDeviationEpsilon : 1;
  const SlotRange own = rollout.own_slots();
  auto* row = host_samples_.mutable_data_ptr<float>();
  auto* reset = host_resets_.defined() ? host_resets_.mutable_data_ptr<float>() : nullptr;
  for (std::size_t step = 0; step < rollout.num_steps(); ++step) {
    for (auto slot = static_cast<std::size_t>(own.begin); slot < static_cast<std::size_t>(own.end);
         ++slot, row += SampleColumn::kCount) {
      row[SampleColumn::kAction] = static_cast<float>(rollout.actions[step][slot]);
      row[SampleColumn::kLogProb] = rollout.log_probs[step][slot];
      row[SampleColumn::kValue] = rollout.values[step][slot];
      row[SampleColumn::kAdvantage] =
          static_cast<float>((rollout.advantages[step][slot] - mean) / deviation);
      row[SampleColumn::kReturn] = rollout.returns[step][slot];
      if (reset != nullptr) *reset++ = static_cast<float>(rollout.begins[step][slot]);
    }
  }
  for (std::int64_t i = 1; i < host_samples_.size(0); ++i) host_samples_[i].copy_(host_samples_[0]);
  if (reset != nullptr) tensors_.resets.copy_(host_resets_, /*non_blocking=*/true);
  std::ranges::copy(rollout.wide_actions.all(), host_wide_actions_.mutable_data_ptr<float>());
  tensors_.wide_actions.copy_(host_wide_actions_, /*non_blocking=*/true);
}

// Copies the samples to the device, before the first epoch, or before each one if it has advantages
// of its own.
void Ppo::load_epoch(std::int64_t epoch) {
  if (epoch >= host_samples_.size(0)) return;
  tensors_.samples.copy_(host_samples_[epoch], /*non_blocking=*/true);
}

// A new permutation for every epoch and shard, always shuffled from the identity, so that it
// depends on the stream alone; mini-batches are parts of it, and what does not fill one is left
// out.  It permutes samples, or the slots of a recurrent network, whose mini-batches list all steps
// of their slots in time-major order.
void Ppo::draw_permutations(const Rollout& rollout) {
  const std::int64_t length = tensors_.sequence_length;
  const auto num_all = static_cast<std::int64_t>(rollout.num_slots());
  const std::int64_t num_slots = num_all / shards_.count;  // of a shard
  const auto num_columns = static_cast<std::int64_t>(rollout.num_steps()) * num_slots / length;
  const auto size = static_cast<std::size_t>(tensors_.permutations.size(1) / length);
  std::vector<std::int64_t> permutation(static_cast<std::size_t>(num_columns));
  // The rows of a shard's columns in a table of `width` slots, in which the shard begins at
  // `first`.
  const auto write_rows = [&](std::span<const std::int64_t> columns, std::int64_t width,
                              std::int64_t first, auto to) {
    for (std::int64_t step = 0; step < length; ++step) {
      for (const std::int64_t column : columns) {
        *to++ = (step + column / num_slots) * width + first + column % num_slots;
      }
    }
  };
  // Of all ranks, if the host needs them.
  std::vector<std::vector<std::int64_t>> minibatches(
      static_cast<std::size_t>(normalizes_on_host() ? config_.num_minibatches : 0));
  for (int epoch = 0; epoch < config_.epochs; ++epoch) {
    for (auto& minibatch : minibatches) minibatch.clear();
    for (std::int64_t shard = 0; shard < shards_.count; ++shard) {
      std::iota(permutation.begin(), permutation.end(), 0);
      if (hooks_.permute) {
        hooks_.permute(permutation);
      } else {
        stream_.shuffle(std::span(permutation));
      }
      const std::int64_t own = shard - shards_.first;
      for (std::size_t i = 0; i < static_cast<std::size_t>(config_.num_minibatches); ++i) {
        const auto columns = std::span(permutation).subspan(i * size, size);
        if (is_own(shard)) {
          const std::int64_t row =
              (epoch * config_.num_minibatches + static_cast<std::int64_t>(i)) * shards_.own + own;
          write_rows(columns, rollout.own_slots().size(), own * num_slots,
                     host_permutations_[row].mutable_data_ptr<std::int64_t>());
        }
        if (!minibatches.empty()) {
          write_rows(columns, num_all, shard * num_slots, std::back_inserter(minibatches[i]));
        }
      }
    }
    normalize_minibatches(rollout, epoch, minibatches);
  }
  tensors_.permutations.copy_(host_permutations_, /*non_blocking=*/true);
}

// Normalizes the advantages of each mini-batch, which lists rows of the rollout's tables, in the
// samples of an epoch.
void Ppo::normalize_minibatches(const Rollout& rollout, std::int64_t epoch,
                                std::span<const std::vector<std::int64_t>> minibatches) {
  const SlotRange own = rollout.own_slots();
  const auto num_slots = static_cast<std::int64_t>(rollout.num_slots());
  for (const std::vector<std::int64_t>& rows : minibatches) {
    std::vector<float> advantages;
    for (const std::int64_t row : rows) {
      advantages.push_back(rollout.advantages.all()[static_cast<std::size_t>(row)]);
    }
    const Moments m = moments(advantages);
    const auto n = static_cast<double>(advantages.size());
    const double deviation = std::sqrt(m.variance * (n - 1) / n) + kDeviationEpsilon;
    auto* samples = host_samples_[epoch].mutable_data_ptr<float>();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t slot = rows[i] % num_slots - own.begin;
      if (slot < 0 || slot >= own.size()) continue;
      const std::int64_t sample = rows[i] / num_slots * own.size() + slot;
      samples[sample * SampleColumn::kCount + SampleColumn::kAdvantage] =
          static_cast<float>((advantages[i] - m.mean) / deviation);
    }
  }
}

// One gradient step, from the mini-batch at tensors_.position, or from one per own shard.
void Ppo::learn_from_next(Graphs& graphs, std::int64_t step) {
  for (std::int64_t shard = 0; shard < shards_.count; ++shard) {
    if (hooks_.prepare) hooks_.prepare(step * shards_.count + shard);
    if (!is_own(shard)) continue;
    graphs.pass.run([&] {
      const at::Tensor losses = compute_gradients();
      const at::NoGradGuard no_grad;
      if (has_shards()) {
        sums_->store(losses, tensors_.position);
      } else {
        // After the first mini-batch that is not finite, this update changes nothing more.
        backend_.step(losses, tensors_.broken, adam_);
      }
      backend_.store_losses(losses, tensors_);
    });
  }
  if (!has_shards()) return;
  const at::NoGradGuard no_grad;
  sums_->exchange();
  graphs.step.run([&] {
    const at::Tensor losses = sums_->take();
    backend_.step(losses, tensors_.broken, adam_);
    const at::Tensor row = tensors_.position.floor_divide(shards_.own) - 1;
    losses_.index_copy_(0, row, losses.unsqueeze(0));
  });
}

// The losses of the mini-batch at tensors_.position; replaces the parameters' gradients by its own.
at::Tensor Ppo::compute_gradients() {
  Minibatch minibatch = backend_.gather(tensors_);
  if (hooks_.transform) hooks_.transform(minibatch);
  if (config_.normalize_advantages && config_.minibatch_advantages && !has_shards()) {
    const at::Tensor& a = minibatch.advantages;
    minibatch.advantages = (a - a.mean()) / (a.std(/*unbiased=*/false) + kDeviationEpsilon);
  }
  const at::Tensor more_obs = hooks_.more_obs ? hooks_.more_obs(minibatch) : at::Tensor();
  const ForwardPass pass = backend_.forward(minibatch, more_obs);
  const at::Tensor extra_loss =
      hooks_.extra_loss ? hooks_.extra_loss(minibatch, pass.output, pass.more) : at::Tensor();
  backend_.network().parameters().grads().zero_();
  return backend_.backward(config_, minibatch, pass, extra_loss);
}

PpoStats Ppo::summary(const Rollout& rollout) const {
  // Copying would spin, and runs that share a machine need the core.
  sleep_until_finished(losses_.device());
  const at::Tensor table = losses_.cpu();
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
  std::vector<NamedTensor> named = backend_.network().state();
  for (NamedTensor& tensor : adam_.named_state()) named.push_back(std::move(tensor));
  return named;
}

}  // namespace plr::learn
