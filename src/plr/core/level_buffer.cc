#include "plr/core/level_buffer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "plr/base/bytes.h"
#include "plr/base/saved_settings.h"

namespace plr {
namespace {

constexpr std::string_view kStateName = "level buffer";
constexpr std::uint32_t kStateVersion = 1;

const LevelBufferConfig& checked(const LevelBufferConfig& config) {
  check_fields(config);
  return config;
}

LevelReplayConfig distribution_config(const LevelBufferConfig& config) {
  return {.transform = Transform::kRank,
          .temperature = config.temperature,
          .staleness_coef = config.staleness_coef,
          .staleness_offset = 0};
}

void check_numbers(double score, double best_return) {
  if (!std::isfinite(score) && score != kUnmeasuredScore) {
    throw std::invalid_argument("score must be a finite number or -infinity, not " +
                                to_text(score));
  }
  if (!std::isfinite(best_return)) {
    throw std::invalid_argument("best_return must be a finite number, not " + to_text(best_return));
  }
}

}  // namespace

LevelBuffer::LevelBuffer(const LevelBufferConfig& config)
    : config_(checked(config)),
      distribution_(distribution_config(config), config.capacity, config.capacity),
      recency_(config.capacity) {
  levels_.reserve(config.capacity);
  best_returns_.reserve(config.capacity);
  if (config.duplicate_check) slots_.reserve(config.capacity);
}

bool LevelBuffer::can_replay() const {
  const double filled = static_cast<double>(size()) / static_cast<double>(config_.capacity);
  return size() > 0 && filled >= config_.min_fill_ratio;
}

std::optional<LevelBuffer::Slot> LevelBuffer::insert(LevelId level, double score,
                                                     double best_return) {
  check_numbers(score, best_return);
  if (const auto found = slots_.find(level)) {
    const auto slot = static_cast<Slot>(*found);
    update(slot, score, best_return);
    choose(slot);
    return slot;
  }
  if (size() < config_.capacity) {
    ++clock_;
    if (score == kUnmeasuredScore) return std::nullopt;
    append(level, score, best_return, clock_);
    return static_cast<Slot>(size() - 1);
  }
  const Slot slot = slot_of_least_weight();
  ++clock_;
  if (!(score > distribution_.score(slot))) return std::nullopt;
  if (config_.duplicate_check) {
    slots_.erase(levels_[slot]);
    slots_.insert(level, slot);
  }
  levels_[slot] = level;
  best_returns_[slot] = best_return;
  distribution_.set_score(slot, score);
  stamp(slot);
  return slot;
}

LevelBuffer::Draw LevelBuffer::draw(Random& random) {
  Slot slot = 0;
  if (config_.prioritization == Prioritization::kRank) {
    slot = distribution_.draw(random, next_draw());
  } else if (random.uniform() < config_.staleness_coef) {
    slot = distribution_.draw_by_staleness(random, next_draw());
  } else {
    slot = draw_topk(random);
  }
  choose(slot);
  return {slot, levels_[slot]};
}

void LevelBuffer::choose(Slot slot) {
  check_slot(slot);
  ++clock_;
  stamp(slot);
}

void LevelBuffer::update(Slot slot, double score, double best_return) {
  check_slot(slot);
  check_numbers(score, best_return);
  if (score != kUnmeasuredScore || !config_.keep_unmeasured) distribution_.set_score(slot, score);
  best_returns_[slot] = best_return;
}

LevelBuffer::Entry LevelBuffer::at(Slot slot) const {
  check_slot(slot);
  return {levels_[slot], distribution_.score(slot), best_returns_[slot],
          distribution_.timestamp(slot)};
}

std::optional<double> LevelBuffer::best_return(LevelId level) const {
  if (config_.duplicate_check) {
    const auto slot = slots_.find(level);
    return slot ? std::optional(best_returns_[*slot]) : std::nullopt;
  }
  std::optional<double> best;
  for (Slot slot = 0; slot < size(); ++slot) {
    if (levels_[slot] != level) continue;
    best = best ? std::max(*best, best_returns_[slot]) : best_returns_[slot];
  }
  return best;
}

std::vector<LevelWeight> LevelBuffer::weights() const {
  std::vector<LevelWeight> weights(size());
  const Scale common = scale();
  std::size_t rank = 0;
  distribution_.ranking().for_each([&](Slot slot) {
    const double score = distribution_.score(slot);
    weights[slot] = {.level = levels_[slot],
                     .is_scored = score != kUnmeasuredScore,
                     .score = score == kUnmeasuredScore ? 0 : score,
                     .staleness = static_cast<double>(staleness(slot)),
                     .probability = weight(rank++, score, staleness(slot), common)};
  });
  return weights;
}

void LevelBuffer::check_slot(Slot slot) const {
  if (slot < size()) return;
  throw std::out_of_range("slot " + std::to_string(slot) + " of the level buffer is empty: " +
                          std::to_string(size()) + " are filled");
}

// Sets the timestamp of a slot to the clock.
void LevelBuffer::stamp(Slot slot) {
  recency_.erase(slot, static_cast<double>(distribution_.timestamp(slot)));
  recency_.insert(slot, static_cast<double>(clock_));
  distribution_.stamp(slot, clock_);
}

void LevelBuffer::append(LevelId level, double score, double best_return, std::int64_t timestamp) {
  const Slot slot = distribution_.append(timestamp);
  distribution_.set_score(slot, score);
  recency_.insert(slot, static_cast<double>(timestamp));
  levels_.push_back(level);
  best_returns_.push_back(best_return);
  if (config_.duplicate_check) slots_.insert(level, slot);
}

LevelBuffer::Scale LevelBuffer::scale() const {
  Scale scale{.staleness = distribution_.total_staleness(next_draw())};
  if (config_.prioritization == Prioritization::kRank) {
    scale.score_weights = distribution_.total_rank_weight();
    return scale;
  }
  const Ranking& ranking = distribution_.ranking();
  const std::size_t count = std::min<std::size_t>(config_.topk, size());
  if (count > 0) scale.best_score = distribution_.score(ranking.slot_at(0));
  for (std::size_t rank = 0; rank < count; ++rank) {
    const double score = distribution_.score(ranking.slot_at(rank));
    scale.score_weights += score_weight(rank, score, scale);
  }
  return scale;
}

double LevelBuffer::score_weight(std::size_t rank, double score, const Scale& scale) const {
  if (config_.prioritization == Prioritization::kRank) return distribution_.rank_weight(rank + 1);
  if (rank >= config_.topk) return 0;
  // All scores may be unmeasured.
  return score == scale.best_score ? 1 : std::exp(score - scale.best_score);
}

double LevelBuffer::weight(std::size_t rank, double score, std::int64_t staleness,
                           const Scale& scale) const {
  const double by_score = score_weight(rank, score, scale) / scale.score_weights;
  const double by_staleness =
      scale.staleness > 0 ? static_cast<double>(staleness) / static_cast<double>(scale.staleness)
                          : 1 / static_cast<double>(size());
  return (1 - config_.staleness_coef) * by_score + config_.staleness_coef * by_staleness;
}

LevelBuffer::Slot LevelBuffer::draw_topk(Random& random) const {
  const Ranking& ranking = distribution_.ranking();
  const Scale common = scale();
  double target = random.uniform() * common.score_weights;
  // If rounding moves the target past the end, the last slot of positive weight is drawn.
  Slot drawn = ranking.slot_at(0);
  const std::size_t count = std::min<std::size_t>(config_.topk, size());
  for (std::size_t rank = 0; rank < count; ++rank) {
    const Slot slot = ranking.slot_at(rank);
    const double weight = score_weight(rank, distribution_.score(slot), common);
    if (!(weight > 0)) break;
    drawn = slot;
    if (target < weight) break;
    target -= weight;
  }
  return drawn;
}

LevelBuffer::Slot LevelBuffer::slot_of_least_weight() const {
  const Ranking& ranking = distribution_.ranking();
  const Scale common = scale();
  Slot least = 0;
  double least_weight = std::numeric_limits<double>::infinity();
  const auto visit = [&](Slot slot, std::size_t rank) {
    const double w = weight(rank, distribution_.score(slot), staleness(slot), common);
    if (w > least_weight || (w == least_weight && slot > least)) return;
    least = slot;
    least_weight = w;
  };
  for (std::size_t i = 0; i < size(); ++i) {
    const std::size_t rank = size() - 1 - i;
    const Slot lowest = ranking.slot_at(rank);
    const Slot freshest = recency_.slot_at(i);
    const double lowest_score = distribution_.score(lowest);
    visit(lowest, rank);
    visit(freshest, ranking.count_before(distribution_.score(freshest), freshest));
    // A slot that was not visited has no lower score and is no fresher.
    if (weight(rank, lowest_score, staleness(freshest), common) > least_weight) break;
  }
  return least;
}

std::vector<std::byte> LevelBuffer::save() const {
  std::vector<double> scores(size());
  std::vector<std::int64_t> timestamps(size());
  for (Slot slot = 0; slot < size(); ++slot) {
    scores[slot] = distribution_.score(slot);
    timestamps[slot] = distribution_.timestamp(slot);
  }
  ByteWriter writer;
  writer.text(fields_text(config_));
  writer.number(clock_);
  writer.numbers<LevelId>(levels_);
  writer.numbers<double>(scores);
  writer.numbers<double>(best_returns_);
  writer.numbers<std::int64_t>(timestamps);
  return writer.seal(kStateName, kStateVersion);
}

void LevelBuffer::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, kStateName, kStateVersion);
  expect_settings(reader, config_);
  LevelBuffer restored(config_);
  restored.clock_ = reader.number<std::int64_t>();
  reader.require(restored.clock_ >= 0 && restored.clock_ <= kMaxDraw, "an impossible clock");

  const auto levels = reader.numbers<LevelId>(config_.capacity);
  const auto scores = reader.numbers<double>(config_.capacity);
  const auto best_returns = reader.numbers<double>(config_.capacity);
  const auto timestamps = reader.numbers<std::int64_t>(config_.capacity);
  reader.expect_end();
  reader.require(scores.size() == levels.size() && best_returns.size() == levels.size() &&
                     timestamps.size() == levels.size(),
                 "levels, scores, returns and timestamps differ in number");
  std::set<std::int64_t> times;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const bool is_unmeasured = scores[i] == kUnmeasuredScore && !config_.keep_unmeasured;
    reader.require(std::isfinite(scores[i]) || is_unmeasured, "an impossible score");
    reader.require(std::isfinite(best_returns[i]), "an impossible return");
    reader.require(
        timestamps[i] > 0 && timestamps[i] <= restored.clock_ && times.insert(timestamps[i]).second,
        "a timestamp of the future, or twice");
    reader.require(!restored.slots_.find(levels[i]), "a level twice");
    restored.append(levels[i], scores[i], best_returns[i], timestamps[i]);
  }
  *this = std::move(restored);
}

}  // namespace plr
