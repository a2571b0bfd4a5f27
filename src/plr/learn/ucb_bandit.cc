#include "plr/learn/ucb_bandit.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "plr/base/bytes.h"
#include "plr/base/saved_settings.h"

namespace plr::learn {
namespace {

constexpr std::string_view kStateName = "bandit";
constexpr std::uint32_t kStateVersion = 1;

}  // namespace

UcbBandit::UcbBandit(std::size_t num_arms, const UcbConfig& config)
    : config_(config), num_tries_(config.each_arm_once ? 0 : 1), arms_(num_arms) {
  check_fields(config);
  if (num_arms == 0) throw std::invalid_argument("num_arms must be at least 1, not 0");
  for (Arm& arm : arms_) arm.tries = num_tries_;
}

std::size_t UcbBandit::choose() {
  std::size_t best = 0;
  for (std::size_t arm = 1; arm < arms_.size(); ++arm) {
    if (bound(arm) > bound(best)) best = arm;
  }
  chosen_ = best;
  return best;
}

void UcbBandit::credit(double reward) {
  if (!std::isfinite(reward)) {
    throw std::invalid_argument("reward must be a finite number, not " + to_text(reward));
  }
  if (!chosen_) return;
  Arm& arm = arms_[*chosen_];
  ++num_tries_;
  ++arm.tries;
  if (std::ssize(arm.rewards) < config_.window) {
    arm.rewards.push_back(reward);
  } else {
    arm.rewards[arm.oldest] = reward;
    arm.oldest = (arm.oldest + 1) % arm.rewards.size();
  }
  chosen_.reset();
}

double UcbBandit::mean(std::size_t arm) const {
  const std::vector<double>& rewards = arms_[arm].rewards;
  if (rewards.empty()) return 0;
  return std::accumulate(rewards.begin(), rewards.end(), 0.0) / static_cast<double>(rewards.size());
}

std::int64_t UcbBandit::tries(std::size_t arm) const { return arms_[arm].tries; }

double UcbBandit::bound(std::size_t arm) const {
  const auto tries = static_cast<double>(arms_[arm].tries);
  if (tries == 0) return std::numeric_limits<double>::infinity();
  const double log_all = std::log(static_cast<double>(num_tries_));
  return mean(arm) + config_.exploration * std::sqrt(log_all / tries);
}

std::vector<std::byte> UcbBandit::save() const {
  ByteWriter writer;
  writer.text(fields_text(config_));
  writer.number<std::uint64_t>(arms_.size());
  writer.number(num_tries_);
  writer.number<std::uint64_t>(chosen_.value_or(arms_.size()));
  for (const Arm& arm : arms_) {
    writer.number(arm.tries);
    writer.numbers<double>(arm.rewards);
    writer.number<std::uint64_t>(arm.oldest);
  }
  return writer.seal(kStateName, kStateVersion);
}

void UcbBandit::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, kStateName, kStateVersion);
  expect_settings(reader, config_);
  UcbBandit restored(arms_.size(), config_);
  reader.require(reader.number<std::uint64_t>() == arms_.size(), "of another number of arms");
  restored.num_tries_ = reader.number<std::int64_t>();
  const auto chosen = reader.number<std::uint64_t>();
  reader.require(chosen <= arms_.size(), "an unknown arm was chosen");
  if (chosen < arms_.size()) restored.chosen_ = chosen;
  const auto window = static_cast<std::size_t>(config_.window);
  const std::int64_t first_tries = restored.arms_[0].tries;
  reader.require(restored.num_tries_ >= first_tries && restored.num_tries_ < std::int64_t{1} << 48,
                 "an impossible number of tries");
  std::int64_t counted = first_tries;
  for (Arm& arm : restored.arms_) {
    arm.tries = reader.number<std::int64_t>();
    arm.rewards = reader.numbers<double>(window);
    arm.oldest = reader.number<std::uint64_t>();
    const std::int64_t tried = arm.tries - first_tries;
    reader.require(tried >= std::ssize(arm.rewards) && tried <= restored.num_tries_,
                   "an impossible number of tries of an arm");
    counted += tried;
    reader.require(arm.oldest < (arm.rewards.size() == window ? window : 1),
                   "a window of another size");
    for (const double reward : arm.rewards) {
      reader.require(std::isfinite(reward), "a reward that is not finite");
    }
  }
  reader.require(counted == restored.num_tries_, "tries that do not add up");
  reader.expect_end();
  *this = std::move(restored);
}

}  // namespace plr::learn
