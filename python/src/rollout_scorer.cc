#include "rollout_scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "plr/base/bytes.h"

namespace plr::python {
namespace {

constexpr std::string_view kStateName = "rollout scorer";
constexpr std::uint32_t kStateVersion = 1;
constexpr float kLargest = std::numeric_limits<float>::max();

// Normalizes logits; log-probabilities are unchanged.
void log_softmax(std::span<const float> logits, std::span<float> log_probs) {
  const double highest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - highest);
  const double normalizer = highest + std::log(sum);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    log_probs[i] = static_cast<float>(logits[i] - normalizer);
  }
}

}  // namespace

RolloutScorer::RolloutScorer(const EpisodeScorerConfig& config, std::size_t num_slots,
                             std::size_t rollout_length)
    : config_(config),
      rollout_length_(rollout_length),
      scorer_(config, num_slots, rollout_length),
      slots_(num_slots) {}

bool RolloutScorer::needs_logits() const { return needs_policy_term(config_.score_function); }

void RolloutScorer::check(const StepsView& steps) const {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  const auto expect_finite = [&](const char* name, std::span<const double> values) {
    const auto found = std::ranges::find_if_not(values, is_finite);
    if (found == values.end()) return;
    const auto at = static_cast<std::size_t>(found - values.begin());
    throw std::invalid_argument(
        std::string(name) + " of slot " + std::to_string(at % slots_.size()) + " at step " +
        std::to_string(at / slots_.size()) + " must be a finite number, not " + to_text(*found));
  };
  expect_finite("rewards", steps.rewards);
  expect_finite("raw_rewards", steps.raw_rewards);
  expect_finite("values", steps.values);
  // Masked actions have the logit -infinity.
  for (std::size_t i = 0; i < steps.logits.size(); i += steps.num_actions) {
    const auto row = steps.logits.subspan(i, steps.num_actions);
    const auto is_wrong = [](float logit) { return std::isnan(logit) || logit > kLargest; };
    if (std::ranges::none_of(row, is_wrong) && std::ranges::any_of(row, is_finite)) continue;
    const std::size_t at = i / steps.num_actions;
    throw std::invalid_argument("logits of slot " + std::to_string(at % slots_.size()) +
                                " at step " + std::to_string(at / slots_.size()) +
                                " must be finite, except for masked actions (-inf)");
  }
  if (num_steps_ + steps.num_steps > rollout_length_) {
    throw std::invalid_argument("a rollout has at most " + std::to_string(rollout_length_) +
                                " steps, not " + std::to_string(num_steps_ + steps.num_steps));
  }
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    bool is_open = slots_[slot].is_open;
    LevelId level = slots_[slot].level;
    for (std::size_t t = 0; t < steps.num_steps; ++t) {
      const std::size_t at = t * slots_.size() + slot;
      if (steps.is_autoreset(at)) {
        if (!is_open) continue;
        throw std::invalid_argument("autoresets of slot " + std::to_string(slot) + " at step " +
                                    std::to_string(t) + " must follow the end of an episode");
      }
      if (is_open && steps.levels[at] != level) {
        throw std::invalid_argument(
            "level of slot " + std::to_string(slot) + " changes from " + std::to_string(level) +
            " to " + std::to_string(steps.levels[at]) + " at step " + std::to_string(t) +
            " without an end; dones[t] must say that step t ended its episode");
      }
      level = steps.levels[at];
      is_open = !steps.dones[at];
    }
  }
}

void RolloutScorer::check_next(std::span<const float> next_values) {
  for (std::size_t slot = 0; slot < next_values.size(); ++slot) {
    if (std::isfinite(next_values[slot])) continue;
    throw std::invalid_argument("next_values of slot " + std::to_string(slot) +
                                " must be a finite number, not " + to_text(next_values[slot]));
  }
}

double RolloutScorer::term_of(const StepsView& steps, std::size_t at) {
  if (steps.logits.empty()) return 0;
  log_probs_.resize(steps.num_actions);
  log_softmax(steps.logits.subspan(at * steps.num_actions, steps.num_actions), log_probs_);
  return policy_term(config_.score_function, log_probs_);
}

void RolloutScorer::add(const StepsView& steps, std::vector<EpisodeResult>& results) {
  check(steps);
  for (std::size_t t = 0; t < steps.num_steps; ++t) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const std::size_t at = t * slots_.size() + i;
      if (steps.is_autoreset(at)) continue;
      Slot& slot = slots_[i];
      if (!slot.is_open) {
        slot = {.level = steps.levels[at], .is_open = true};
        scorer_.begin(i, slot.level);
      }
      scorer_.step(i, steps.rewards[at], steps.values[at], term_of(steps, at));
      slot.episode_return += steps.raw_rewards[at];
      if (!steps.dones[at]) continue;
      scorer_.end(i, slot.episode_return);
      slot.is_open = false;
    }
    scorer_.drain([&](const EpisodeResult& result) { results.push_back(result); });
  }
  num_steps_ += steps.num_steps;
}

void RolloutScorer::end_rollout(std::span<const float> next_values,
                                std::vector<EpisodeResult>& results) {
  check_next(next_values);
  scorer_.end_rollout(next_values);
  scorer_.drain([&](const EpisodeResult& result) { results.push_back(result); });
  num_steps_ = 0;
}

std::vector<std::byte> RolloutScorer::save() const {
  ByteWriter writer;
  writer.numbers<std::byte>(scorer_.save());
  writer.number(num_steps_);
  for (const Slot& slot : slots_) {
    writer.number(slot.level);
    writer.number(slot.is_open);
    writer.number(slot.episode_return);
  }
  return writer.seal(kStateName, kStateVersion);
}

void RolloutScorer::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, kStateName, kStateVersion);
  const auto inner = reader.numbers<std::byte>(bytes.size());
  std::vector<Slot> slots(slots_.size());
  EpisodeScorer scorer = scorer_;
  scorer.load(inner);
  const auto num_steps = reader.number<std::uint64_t>();
  reader.require(num_steps <= rollout_length_, "more steps than a rollout has");
  for (Slot& slot : slots) {
    slot.level = reader.number<LevelId>();
    slot.is_open = reader.number<std::uint8_t>() != 0;
    slot.episode_return = reader.number<double>();
  }
  reader.expect_end();
  scorer_ = std::move(scorer);
  slots_ = std::move(slots);
  num_steps_ = num_steps;
}

}  // namespace plr::python
