#include "plr/core/reward_normalizer.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "plr/base/bytes.h"

namespace plr {

RewardNormalizer::RewardNormalizer(const RewardNormalizerConfig& config, std::size_t num_slots)
    : config_(config), returns_(num_slots, 0.0) {
  check_fields(config);
}

void RewardNormalizer::normalize(std::span<const double> rewards,
                                 std::span<const std::uint8_t> done, std::span<float> out,
                                 std::size_t first_slot) {
  assert(first_slot + rewards.size() <= returns_.size() && done.size() == rewards.size());
  const auto returns = std::span(returns_).subspan(first_slot, rewards.size());
  for (std::size_t i = 0; i < returns.size(); ++i) {
    returns[i] = config_.return_gamma * returns[i] + rewards[i];
  }
  update_statistics(returns);
  const double deviation = std::sqrt(variance_ + config_.return_epsilon);
  for (std::size_t i = 0; i < returns.size(); ++i) {
    const double normalized =
        std::clamp(rewards[i] / deviation, -config_.reward_clip, config_.reward_clip);
    out[i] = static_cast<float>(config_.normalize_rewards ? normalized : rewards[i]);
    if (done[i] != 0) returns[i] = 0;
  }
}

// Merges the returns into the running mean and variance (Chan, Golub and LeVeque).
void RewardNormalizer::update_statistics(std::span<const double> returns) {
  const auto n = static_cast<double>(returns.size());
  double mean = 0;
  for (const double r : returns) mean += r / n;
  double variance = 0;
  for (const double r : returns) variance += (r - mean) * (r - mean) / n;

  const double delta = mean - mean_;
  const double total = count_ + n;
  mean_ += delta * n / total;
  variance_ = (variance_ * count_ + variance * n + delta * delta * count_ * n / total) / total;
  count_ = total;
}

std::vector<std::byte> RewardNormalizer::save() const {
  ByteWriter writer;
  writer.numbers<double>(returns_);
  for (const double number : {mean_, variance_, count_}) writer.number(number);
  return writer.seal("reward normalizer", 1);
}

void RewardNormalizer::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "reward normalizer", 1);
  RewardNormalizer restored(config_, 0);
  restored.returns_ = reader.numbers<double>(returns_.size());
  reader.require(restored.returns_.size() == returns_.size(), "saved with another number of slots");
  for (double* number : {&restored.mean_, &restored.variance_, &restored.count_}) {
    *number = reader.number<double>();
    reader.require(std::isfinite(*number), "a number that is not finite");
  }
  reader.expect_end();
  *this = std::move(restored);
}

}  // namespace plr
