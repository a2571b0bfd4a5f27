#include "plr/core/replay_distribution.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace plr {
namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();
constexpr Ranking::Slot kLastSlot = std::numeric_limits<Ranking::Slot>::max();

// Weights outside this range are rescaled before they overflow or underflow.
constexpr double kSmallestSum = 1e-250;
constexpr double kLargestSum = 1e250;

bool is_weighted(Transform transform) {
  return transform == Transform::kProportional || transform == Transform::kSoftmax;
}

}  // namespace

ReplayDistribution::ReplayDistribution(const LevelReplayConfig& config, std::size_t capacity,
                                       std::size_t num_levels)
    : config_(config),
      num_levels_(num_levels),
      scores_(capacity, kNoScore),
      timestamps_(capacity),
      ranking_(is_weighted(config.transform) ? 0 : capacity),
      weights_(is_weighted(config.transform) ? capacity : 0),
      scale_(config.transform == Transform::kSoftmax ? 0.0 : 1.0) {
  if (config.transform == Transform::kRank) {
    // Summed from the smallest weight, so that the tail is exact too.
    mass_after_.assign((config.unseen_compete ? num_levels : capacity) + 1, 0.0);
    for (std::size_t rank = mass_after_.size() - 1; rank > 0; --rank) {
      mass_after_[rank - 1] = mass_after_[rank] + rank_weight(rank);
    }
  }
}

ReplayDistribution::Slot ReplayDistribution::append(std::int64_t timestamp) {
  assert(size_ < scores_.size());
  const auto slot = static_cast<Slot>(size_++);
  timestamps_.set(slot, timestamp);
  return slot;
}

void ReplayDistribution::stamp(Slot slot, std::int64_t timestamp) {
  timestamps_.set(slot, timestamp);
}

void ReplayDistribution::set_score(Slot slot, double score) {
  if (is_weighted(config_.transform)) {
    set_weight(slot, score);
  } else {
    if (is_scored(slot)) ranking_.erase(slot, scores_[slot]);
    ranking_.insert(slot, score);
  }
  scores_[slot] = score;
}

bool ReplayDistribution::is_scored(Slot slot) const { return !std::isnan(scores_[slot]); }

std::int64_t ReplayDistribution::staleness(Slot slot, std::int64_t now) const {
  return now - 1 + config_.staleness_offset - timestamps_[slot];
}

std::int64_t ReplayDistribution::total_staleness(std::int64_t now) const {
  const std::int64_t latest = now - 1 + config_.staleness_offset;
  return static_cast<std::int64_t>(size_) * latest - timestamps_.sum();
}

ReplayDistribution::Slot ReplayDistribution::draw(Random& random, std::int64_t now) const {
  return random.uniform() < config_.staleness_coef ? draw_by_staleness(random, now)
                                                   : draw_by_score(random);
}

ReplayDistribution::Slot ReplayDistribution::draw_by_staleness(Random& random,
                                                               std::int64_t now) const {
  const std::int64_t latest = now - 1 + config_.staleness_offset;
  const auto weigh = [&](std::int64_t sum, std::size_t first, std::size_t span) {
    const std::size_t slots = first >= size_ ? 0 : std::min(span, size_ - first);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(slots) * latest - sum);
  };
  if (total_staleness(now) == 0) return draw_any(random);
  return static_cast<Slot>(timestamps_.draw(random, weigh));
}

ReplayDistribution::Slot ReplayDistribution::draw_by_score(Random& random) const {
  switch (config_.transform) {
    case Transform::kProportional:
    case Transform::kSoftmax: {
      if (!(weights_.sum() > 0)) return draw_any(random);
      const auto by_weight = [](double sum, std::size_t, std::size_t) { return sum; };
      return static_cast<Slot>(weights_.draw(random, by_weight));
    }
    case Transform::kRank:
      return draw_by_rank(random);
    case Transform::kGreedy:
      return draw_best(random);
    case Transform::kEpsilonGreedy:
      return random.uniform() < best_share() ? draw_best(random) : draw_any(random);
    case Transform::kConstant:
      if (ranking_.size() == 0) return draw_any(random);
      return ranking_.slot_at(random.below(ranking_.size()));
  }
  return draw_any(random);
}

ReplayDistribution::Slot ReplayDistribution::draw_by_rank(Random& random) const {
  // The mass of the ranks 1..ahead, and of those behind the gap.
  const std::size_t ahead = ahead_of_gap();
  const std::size_t last = ranking_.size() + gap();
  const double mass_ahead = mass_after_[0] - mass_after_[ahead];
  const double mass_behind = mass_after_[ahead + gap()] - mass_after_[last];
  const double target = random.uniform() * (mass_ahead + mass_behind);
  if (!(mass_ahead + mass_behind > 0)) return draw_any(random);

  // The first rank after which at most the rest of the mass remains.
  const bool is_ahead = target < mass_ahead || !(mass_behind > 0);
  const double rest =
      is_ahead ? mass_after_[0] - target : mass_after_[ahead + gap()] - (target - mass_ahead);
  const auto begin =
      mass_after_.begin() + 1 + static_cast<std::ptrdiff_t>(is_ahead ? 0 : ahead + gap());
  const auto end = mass_after_.begin() + static_cast<std::ptrdiff_t>(is_ahead ? ahead : last);
  const auto found = std::partition_point(begin, end, [&](double after) { return after >= rest; });
  const auto rank = static_cast<std::size_t>(found - mass_after_.begin()) - 1;
  return ranking_.slot_at(is_ahead ? rank : rank - gap());
}

ReplayDistribution::Slot ReplayDistribution::draw_best(Random& random) const {
  if (ranking_.size() == 0) return draw_any(random);
  const double best = scores_[ranking_.slot_at(0)];
  return ranking_.slot_at(random.below(ranking_.count_before(best, kLastSlot)));
}

// For epsilon-greedy: the probability of drawing the best slot instead of any.
double ReplayDistribution::best_share() const {
  if (!config_.unseen_compete) return 1 - config_.epsilon;
  // The released code (D30): the best may be an unseen level, which cannot be replayed, and epsilon
  // is spread over all levels, of which only the seen ones can be drawn.
  const bool is_unseen_best =
      ranking_.size() == 0 || (gap() > 0 && !(scores_[ranking_.slot_at(0)] > 0));
  const double best = is_unseen_best ? 0 : 1 - config_.epsilon;
  const double any =
      config_.epsilon * static_cast<double>(size_) / static_cast<double>(num_levels_);
  return best + any > 0 ? best / (best + any) : 0;
}

void ReplayDistribution::probabilities(std::int64_t now, std::vector<double>& out) const {
  score_weights(out);
  const double weight = std::accumulate(out.begin(), out.end(), 0.0);
  const std::int64_t stale = total_staleness(now);
  const double even = 1 / static_cast<double>(size_);
  for (Slot slot = 0; slot < size_; ++slot) {
    const double by_score = weight > 0 ? out[slot] / weight : even;
    const double by_staleness =
        stale > 0 ? static_cast<double>(staleness(slot, now)) / static_cast<double>(stale) : even;
    out[slot] = (1 - config_.staleness_coef) * by_score + config_.staleness_coef * by_staleness;
  }
}

// Not normalized; all 0 if no slot has a weight.
void ReplayDistribution::score_weights(std::vector<double>& weights) const {
  weights.assign(size_, 0.0);
  if (is_weighted(config_.transform)) {
    for (Slot slot = 0; slot < size_; ++slot) weights[slot] = weights_[slot];
    return;
  }
  if (ranking_.size() == 0) return;

  const std::size_t ahead = ahead_of_gap();
  const std::size_t best_slots = ranking_.count_before(scores_[ranking_.slot_at(0)], kLastSlot);
  const auto best_part = [&](std::size_t rank) {
    return rank <= best_slots ? 1 / static_cast<double>(best_slots) : 0.0;
  };
  std::size_t rank = 0;
  ranking_.for_each([&](Slot slot) {
    ++rank;
    switch (config_.transform) {
      case Transform::kRank:
        weights[slot] = rank_weight(rank <= ahead ? rank : rank + gap());
        break;
      case Transform::kGreedy:
        weights[slot] = best_part(rank);
        break;
      case Transform::kEpsilonGreedy:
        weights[slot] = best_share() * best_part(rank);
        break;
      default:
        weights[slot] = 1;
    }
  });
  if (config_.transform == Transform::kEpsilonGreedy) {
    for (double& weight : weights) weight += (1 - best_share()) / static_cast<double>(size_);
  }
}

std::size_t ReplayDistribution::ahead_of_gap() const {
  return gap() == 0 ? ranking_.size() : ranking_.count_before(0.0, kLastSlot);
}

double ReplayDistribution::rank_weight(std::size_t rank) const {
  return std::pow(static_cast<double>(rank), -1 / config_.temperature);
}

// For the proportional transform: the base of the power.
double ReplayDistribution::base_of(double score) const {
  const double offset = config_.staleness_coef == 0 ? config_.proportional_offset : 0.0;
  return (config_.clip_negative ? std::max(score, 0.0) : score) + offset;
}

// Whether the weight of this score is positive, even if it underflows.
bool ReplayDistribution::has_weight(double score) const {
  if (config_.transform == Transform::kSoftmax) return true;
  const double base = base_of(score);
  return base > 0 || (base < 0 && std::pow(-1.0, 1 / config_.temperature) > 0);
}

double ReplayDistribution::weight_of(double score) const {
  if (!has_weight(score)) return 0;
  return config_.transform == Transform::kSoftmax
             ? std::exp((score - scale_) / config_.temperature)
             : std::pow(base_of(score) / scale_, 1 / config_.temperature);
}

void ReplayDistribution::set_weight(Slot slot, double score) {
  if (is_scored(slot) && has_weight(scores_[slot])) --num_weighted_;
  if (has_weight(score)) ++num_weighted_;
  weights_.set(slot, weight_of(score));
  const double sum = weights_.sum();
  if (num_weighted_ > 0 && !(sum >= kSmallestSum && sum <= kLargestSum)) {
    scores_[slot] = score;
    rescale();
  }
}

// Scales the weights so that the largest is 1.
void ReplayDistribution::rescale() {
  const bool is_softmax = config_.transform == Transform::kSoftmax;
  double heaviest = is_softmax ? -std::numeric_limits<double>::infinity() : 0.0;
  for (Slot slot = 0; slot < size_; ++slot) {
    if (!is_scored(slot) || !has_weight(scores_[slot])) continue;
    heaviest = std::max(heaviest, is_softmax ? scores_[slot] : std::abs(base_of(scores_[slot])));
  }
  restore_scale(heaviest);
}

void ReplayDistribution::restore_scale(double scale) {
  if (!is_weighted(config_.transform)) return;
  scale_ = scale;
  weights_.assign(size_, [&](std::size_t slot) {
    return is_scored(static_cast<Slot>(slot)) ? weight_of(scores_[slot]) : 0.0;
  });
}

}  // namespace plr
