#include "plr/core/episode_scorer.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>
#include <string>

#include "plr/base/bytes.h"
#include "plr/base/saved_settings.h"
#include "plr/core/gae.h"

namespace plr {
namespace {

constexpr std::string_view kStateName = "episode scorer";
constexpr std::uint32_t kStateVersion = 1;

}  // namespace

double policy_term(ScoreFunction function, std::span<const float> log_probs) {
  double entropy = 0;
  double first = 0;
  double second = 0;
  for (const double log_prob : log_probs) {
    const double p = std::exp(log_prob);
    if (p > 0) entropy -= p * log_prob;
    second = std::max(second, std::min(first, p));
    first = std::max(first, p);
  }
  switch (function) {
    case ScoreFunction::kPolicyEntropy:
      return log_probs.size() < 2 ? 0 : entropy / std::log(static_cast<double>(log_probs.size()));
    case ScoreFunction::kLeastConfidence:
      return 1 - first;
    case ScoreFunction::kMinMargin:
      return 1 - (first - second);
    default:
      return 0;
  }
}

EpisodeScorer::EpisodeScorer(const EpisodeScorerConfig& config, std::size_t num_slots,
                             std::size_t rollout_length)
    : config_(config), rollout_length_(rollout_length), episodes_(num_slots) {
  check_fields(config);
  rewards_.resize(num_slots * rollout_length);
  values_.resize(num_slots * rollout_length);
  due_.reserve(2 * num_slots);
}

EpisodeScorer::Episode& EpisodeScorer::episode_of(std::size_t slot) {
  if (slot < episodes_.size()) return episodes_[slot];
  throw std::out_of_range("slot must be from 0 to " + std::to_string(episodes_.size() - 1) +
                          ", not " + std::to_string(slot));
}

void EpisodeScorer::begin(std::size_t slot, LevelId level) {
  if (episode_of(slot).is_open) {
    throw std::invalid_argument("slot " + std::to_string(slot) +
                                " has an open episode: call end() before begin()");
  }
  episodes_[slot] = {.level = level, .is_open = true};
}

EpisodeScorer::Episode& EpisodeScorer::open_episode(std::size_t slot) {
  Episode& episode = episode_of(slot);
  if (!episode.is_open) {
    throw std::invalid_argument("slot " + std::to_string(slot) +
                                " has no episode: call begin() first");
  }
  return episode;
}

void EpisodeScorer::step(std::size_t slot, double reward, double value, double policy_term) {
  Episode& episode = open_episode(slot);
  if (episode.length == rollout_length_) {
    throw std::invalid_argument("slot " + std::to_string(slot) + " has made " +
                                std::to_string(rollout_length_) +
                                " steps in this rollout: call end_rollout() first");
  }
  const std::size_t at = slot * rollout_length_ + episode.length++;
  rewards_[at] = reward;
  values_[at] = value;
  episode.policy_sum += policy_term;
}

void EpisodeScorer::end(std::size_t slot, double episode_return) {
  Episode& episode = open_episode(slot);
  if (episode.length + episode.count == 0) {
    throw std::invalid_argument("slot " + std::to_string(slot) +
                                " cannot end an episode before its first step");
  }
  close_piece(slot, true, 0);
  const EpisodeResult result{
      .level = episode.level, .score = episode.score(), .episode_return = episode_return};
  if (config_.score_update == ScoreUpdate::kEpisode) {
    due_.push_back(result);
  } else {
    waiting_.emplace_back(slot, result);
  }
  episode.is_open = false;
}

void EpisodeScorer::end_rollout(std::span<const float> next_values) {
  if (next_values.size() != episodes_.size()) {
    throw std::invalid_argument("next_values must have " + std::to_string(episodes_.size()) +
                                " elements, one per slot, not " +
                                std::to_string(next_values.size()));
  }
  if (config_.update_order == UpdateOrder::kSlot) {
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  for (const auto& [slot, result] : waiting_) due_.push_back(result);
  waiting_.clear();

  for (std::size_t slot = 0; slot < episodes_.size(); ++slot) {
    Episode& episode = episodes_[slot];
    if (!episode.is_open || episode.length == 0) continue;
    close_piece(slot, false, next_values[slot]);
    if (config_.open_episodes == OpenEpisodes::kStitch) continue;
    if (config_.commit_zeros || episode.score() != 0) {
      due_.push_back({.level = episode.level, .score = episode.score(), .is_finished = false});
    }
    episode.sum = 0;
    episode.count = 0;
  }
}

// Adds the steps of this rollout to the episode's sum.
void EpisodeScorer::close_piece(std::size_t slot, bool is_terminal, double bootstrap) {
  Episode& episode = episodes_[slot];
  if (needs_policy_term(config_.score_function)) {
    const bool flips = config_.printed_signs;
    const auto steps = static_cast<double>(episode.length);
    // As printed: entropy is sum p log p, and margin is max p - second p = 1 - term.
    if (flips && config_.score_function == ScoreFunction::kPolicyEntropy) {
      episode.sum -= episode.policy_sum;
    } else if (flips && config_.score_function == ScoreFunction::kMinMargin) {
      episode.sum += steps - episode.policy_sum;
    } else {
      episode.sum += episode.policy_sum;
    }
    episode.count += episode.length;
  } else if (config_.score_function == ScoreFunction::kOneStepTdError &&
             config_.released_td_error) {
    add_released_td_errors(slot);
  } else {
    add_advantages(slot, is_terminal, bootstrap);
  }
  episode.length = 0;
  episode.policy_sum = 0;
}

void EpisodeScorer::add_advantages(std::size_t slot, bool is_terminal, double bootstrap) {
  Episode& episode = episodes_[slot];
  const double* rewards = rewards_.data() + slot * rollout_length_;
  const double* values = values_.data() + slot * rollout_length_;
  double next_value = is_terminal ? 0 : bootstrap;
  double advantage = 0;
  for (std::size_t t = episode.length; t-- > 0;) {
    const auto step =
        gae_step(rewards[t], values[t], next_value, advantage, config_.gamma, config_.gae_lambda);
    advantage = step.advantage;
    next_value = values[t];
    switch (config_.score_function) {
      case ScoreFunction::kGae:
        episode.sum += advantage;
        break;
      case ScoreFunction::kOneStepTdError:
        episode.sum += std::abs(step.delta);
        break;
      default:
        episode.sum += std::abs(advantage);
    }
  }
  episode.count += episode.length;

  // The released code has one extra row in the mean, with return 0 and value V_T (D29).
  const bool has_tail = config_.tail_row && !is_terminal;
  if (has_tail && config_.score_function != ScoreFunction::kOneStepTdError) {
    episode.sum += config_.score_function == ScoreFunction::kGae ? -bootstrap : std::abs(bootstrap);
    ++episode.count;
  }
}

// No discount, the difference of the values with the opposite sign, and without the last step
// (D14). A single step would have no term: it counts as |r - V|.
void EpisodeScorer::add_released_td_errors(std::size_t slot) {
  Episode& episode = episodes_[slot];
  const double* rewards = rewards_.data() + slot * rollout_length_;
  const double* values = values_.data() + slot * rollout_length_;
  for (std::size_t t = 0; t + 1 < episode.length; ++t) {
    episode.sum += std::abs(rewards[t] + values[t] - values[t + 1]);
  }
  if (episode.length == 1) episode.sum += std::abs(rewards[0] - values[0]);
  episode.count += std::max<std::uint64_t>(episode.length, 2) - 1;
}

std::vector<std::byte> EpisodeScorer::save() const {
  assert(due_.empty());
  ByteWriter writer;
  writer.text(fields_text(config_));
  writer.number<std::uint64_t>(rollout_length_);
  writer.number<std::uint64_t>(episodes_.size());
  for (const Episode& episode : episodes_) {
    writer.number(episode.level);
    writer.number(episode.is_open);
    writer.number(episode.sum);
    writer.number(episode.count);
    writer.number(episode.length);
    writer.number(episode.policy_sum);
  }
  writer.numbers<double>(rewards_);
  writer.numbers<double>(values_);
  writer.number<std::uint64_t>(waiting_.size());
  for (const auto& [slot, result] : waiting_) {
    writer.number<std::uint64_t>(slot);
    writer.number(result.level);
    writer.number(result.score);
    writer.number(result.episode_return);
  }
  return writer.seal(kStateName, kStateVersion);
}

void EpisodeScorer::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, kStateName, kStateVersion);
  expect_settings(reader, config_);
  reader.require(reader.number<std::uint64_t>() == rollout_length_,
                 "saved with another rollout length");
  reader.require(reader.number<std::uint64_t>() == episodes_.size(),
                 "saved with another number of slots");
  EpisodeScorer restored(config_, episodes_.size(), rollout_length_);
  for (Episode& episode : restored.episodes_) {
    episode.level = reader.number<LevelId>();
    episode.is_open = reader.number<std::uint8_t>() != 0;
    episode.sum = reader.number<double>();
    episode.count = reader.number<std::uint64_t>();
    episode.length = reader.number<std::uint64_t>();
    episode.policy_sum = reader.number<double>();
    reader.require(episode.length <= rollout_length_, "an episode longer than a rollout");
  }
  restored.rewards_ = reader.numbers<double>(rewards_.size());
  restored.values_ = reader.numbers<double>(values_.size());
  reader.require(
      restored.rewards_.size() == rewards_.size() && restored.values_.size() == values_.size(),
      "steps are missing");
  for (auto left = reader.number<std::uint64_t>(); left > 0; --left) {
    const auto slot = reader.number<std::uint64_t>();
    reader.require(slot < episodes_.size(), "a result of an unknown slot");
    EpisodeResult result{.level = reader.number<LevelId>()};
    result.score = reader.number<double>();
    result.episode_return = reader.number<double>();
    restored.waiting_.emplace_back(slot, result);
  }
  reader.expect_end();
  *this = std::move(restored);
}

}  // namespace plr
