#include "plr/learn/drac.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <numeric>
#include <string>

#include "plr/base/bytes.h"
#include "plr/base/saved_settings.h"
#include "plr/learn/device_random.h"

namespace plr::learn {
namespace {

constexpr std::string_view kStateName = "drac";
constexpr std::uint32_t kStateVersion = 1;

double mean_return(const Rollout& rollout) {
  const std::span<const float> returns = rollout.returns.all();
  return std::accumulate(returns.begin(), returns.end(), 0.0) / static_cast<double>(returns.size());
}

// Tries every augmentation that may be used later on one black image.
void check_augmentations(const DracConfig& config, const NetworkShape& shape) {
  const at::Tensor obs = at::zeros({1, shape.height, shape.width, shape.channels}, at::kByte);
  const at::Tensor key = at::zeros({}, at::kLong);
  for (std::size_t i = 0; i < kNumAugmentations; ++i) {
    const auto each = static_cast<Augmentation>(i);
    if (config.augmentation == each || config.augmentation == Augmentation::kUcb) {
      augment(each, config.augment, obs, key);
    }
  }
}

// The argmax of the logits with Gumbel noise is a sample of their softmax.
at::Tensor drawn_actions(const at::Tensor& logits, const at::Tensor& key) {
  return (logits - (-uniforms(key, logits.sizes()).log()).log()).argmax(1);
}

}  // namespace

at::Tensor policy_divergence(const at::Tensor& logits, const at::Tensor& augmented_logits) {
  const at::Tensor log_p = at::log_softmax(logits.detach(), 1);
  return (log_p.exp() * (log_p - at::log_softmax(augmented_logits, 1))).sum(1).mean();
}

at::Tensor sampled_divergence(const at::Tensor& actions, const at::Tensor& augmented_logits) {
  return -at::log_softmax(augmented_logits, 1).gather(1, actions.unsqueeze(1)).mean();
}

at::Tensor value_difference(const at::Tensor& value, const at::Tensor& augmented_value) {
  return 0.5 * (value.detach() - augmented_value).square().mean();
}

Drac::Drac(const DracConfig& config, const NetworkShape& shape, at::Device device,
           const Random& augment)
    : config_(config),
      device_(device),
      stream_(augment),
      bandit_(kNumAugmentations, config.ucb),
      augmentation_(config.augmentation),
      key_(at::zeros({2}, at::TensorOptions(device).dtype(at::kLong))) {
  check_fields(config);
  check_augmentations(config, shape);
}

void Drac::begin(const Rollout& rollout, std::int64_t num_minibatches) {
  if (config_.augmentation == Augmentation::kUcb) {
    bandit_.credit(mean_return(rollout));
    augmentation_ = static_cast<Augmentation>(bandit_.choose());
  }
  std::vector<std::int64_t> keys(static_cast<std::size_t>(2 * num_minibatches));
  for (std::int64_t& key : keys) key = static_cast<std::int64_t>(stream_.bits());
  keys_ = at::tensor(keys, at::kLong).view({-1, 2}).to(device_);
}

void Drac::prepare(std::int64_t minibatch) { key_.copy_(keys_[minibatch]); }

at::Tensor Drac::augmented(const Minibatch& minibatch) const {
  const at::NoGradGuard no_grad;
  return augment(augmentation_, config_.augment, minibatch.obs, key_[0]);
}

at::Tensor Drac::loss(const Output& output, const Output& augmented) const {
  const at::Tensor policy_term =
      config_.sampled
          ? sampled_divergence(drawn_actions(output.logits.detach(), key_[1]), augmented.logits)
          : policy_divergence(output.logits, augmented.logits);
  return config_.coef * (policy_term + value_difference(output.value, augmented.value));
}

std::vector<std::byte> Drac::save() const {
  ByteWriter writer;
  writer.text(fields_text(config_));
  writer.random(stream_);
  writer.numbers<std::byte>(bandit_.save());
  return writer.seal(kStateName, kStateVersion);
}

void Drac::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, kStateName, kStateVersion);
  expect_settings(reader, config_);
  const Random stream = reader.random();
  const std::vector<std::byte> bandit = reader.numbers<std::byte>(kMaxNestedState);
  reader.expect_end();
  bandit_.load(bandit);
  stream_ = stream;
}

}  // namespace plr::learn
