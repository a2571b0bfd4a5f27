#include "plr/core/level_replay.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "plr/base/bytes.h"
#include "plr/base/saved_settings.h"
#include "plr/core/level_weights.h"

namespace plr {
namespace {

constexpr std::string_view kStateName = "level replay";
constexpr std::uint32_t kStateVersion = 1;

const LevelReplayConfig& checked(const LevelReplayConfig& config, const LevelSet& levels) {
  check_fields(config);
  if (levels.is_stream() && levels.size() / 2 < config.buffer_size) {
    throw std::invalid_argument("buffer_size must be at most half of the stream's " +
                                std::to_string(levels.size()) + " levels, not " +
                                std::to_string(config.buffer_size));
  }
  return config;
}

std::size_t num_slots(const LevelReplayConfig& config, const LevelSet& levels) {
  return levels.is_stream() ? config.buffer_size : levels.size();
}

}  // namespace

LevelReplay::LevelReplay(LevelSet levels, const LevelReplayConfig& config, const Random& random)
    : levels_(std::move(levels)),
      config_(checked(config, levels_)),
      random_(random),
      distribution_(config, num_slots(config, levels_), num_slots(config, levels_)),
      seen_(levels_.is_stream() ? 0 : levels_.size()) {
  if (levels_.is_stream()) {
    buffer_.reserve(config.buffer_size);
    slots_.reserve(config.buffer_size);
    scratch_.reserve(config.buffer_size);
  } else if (config.seen_on == SeenOn::kScore) {
    drawn_at_.assign(levels_.size(), -1);
  }
}

std::vector<LevelId> LevelReplay::first(std::size_t num_slots) {
  std::vector<LevelId> first;
  if (config_.start.first_levels == FirstLevels::kSequential) {
    first = sequential_levels(levels_, num_slots);
    for (const LevelId level : first) choose_at(level, 0);
    return first;
  }
  // No level has a score yet, so unseen levels come first.
  const auto has_new = [&] { return levels_.is_stream() || seen_.num_unseen() > 0; };
  while (first.size() < num_slots && has_new()) {
    first.push_back(draw_new());
    choose_at(first.back(), ++num_draws_);
  }
  while (first.size() < num_slots) first.push_back(next());
  return first;
}

LevelId LevelReplay::next() {
  const bool is_replay = random_.uniform() < replay_probability();
  const LevelId level = is_replay ? draw_replay() : draw_new();
  choose_at(level, ++num_draws_);
  return level;
}

void LevelReplay::choose(LevelId level) {
  if (!levels_.contains(level)) {
    throw std::out_of_range("level " + std::to_string(level) + " is not in the set of levels");
  }
  choose_at(level, ++num_draws_);
}

double LevelReplay::replay_probability() const {
  const auto seen = static_cast<double>(distribution_.size());
  if (seen == 0 && (levels_.is_stream() || !config_.replay_unseen)) return 0;
  if (levels_.is_stream()) {
    const double filled = seen / static_cast<double>(config_.buffer_size);
    return filled >= config_.warmup_fraction ? config_.replay_probability : 0;
  }
  if (seen_.num_unseen() == 0) return 1;
  const double share = seen / static_cast<double>(levels_.size());
  if (share < config_.warmup_fraction) return 0;
  return config_.schedule == ReplaySchedule::kProportionate ? share : config_.replay_probability;
}

LevelId LevelReplay::level_at(Slot slot) const {
  return levels_.is_stream() ? buffer_[slot] : levels_[seen_.index_at(slot)];
}

LevelId LevelReplay::draw_replay() {
  if (distribution_.size() == 0) return levels_[random_.below(levels_.size())];
  return level_at(distribution_.draw(random_, num_draws_ + 1));
}

LevelId LevelReplay::draw_new() {
  if (!levels_.is_stream()) return levels_[seen_.draw_unseen(random_)];
  // At least half of the stream's levels are not in the buffer, so few tries are needed. If nearly
  // all of them are staged, one of those is drawn again.
  LevelId level = 0;
  for (int tries = 0; tries < 1000; ++tries) {
    level = levels_[random_.below(levels_.size())];
    if (!slots_.find(level) && !staged_.find(level)) break;
  }
  return level;
}

void LevelReplay::choose_at(LevelId level, std::int64_t timestamp) {
  if (levels_.is_stream()) {
    if (const auto slot = slots_.find(level)) {
      distribution_.stamp(static_cast<Slot>(*slot), timestamp);
    } else {
      staged_.erase(level);
      staged_.insert(level, static_cast<std::uint64_t>(timestamp));
    }
    return;
  }
  const std::size_t index = *levels_.index_of(level);
  if (const auto slot = seen_.slot_of(index)) {
    distribution_.stamp(*slot, timestamp);
  } else if (config_.seen_on == SeenOn::kSample) {
    seen_.add(index);
    distribution_.append(timestamp);
  } else {
    drawn_at_[index] = timestamp;
  }
}

void LevelReplay::record(const EpisodeResult& result) {
  check_result(result, levels_);
  if (!levels_.is_stream()) {
    record_finite(result);
  } else if (const auto slot = slots_.find(result.level)) {
    update_score(static_cast<Slot>(*slot), result.score);
  } else if (const auto timestamp = staged_.find(result.level)) {
    record_staged(result, static_cast<std::int64_t>(*timestamp));
  }
}

void LevelReplay::record_finite(const EpisodeResult& result) {
  const std::size_t index = *levels_.index_of(result.level);
  auto slot = seen_.slot_of(index);
  if (!slot) {
    if (config_.seen_on == SeenOn::kSample || drawn_at_[index] < 0) {
      throw std::out_of_range("level " + std::to_string(result.level) +
                              " has not been drawn yet, so it cannot have been played");
    }
    seen_.add(index);
    slot = distribution_.append(drawn_at_[index]);
  }
  update_score(*slot, result.score);
}

void LevelReplay::update_score(Slot slot, double score) {
  distribution_.set_score(
      slot, (1 - config_.smoothing) * distribution_.score(slot) + config_.smoothing * score);
}

// Records the first score of a new level of a stream.
void LevelReplay::record_staged(const EpisodeResult& result, std::int64_t timestamp) {
  staged_.erase(result.level);
  Slot slot = 0;
  if (buffer_.size() < config_.buffer_size) {
    slot = distribution_.append(timestamp);
    buffer_.push_back(result.level);
  } else {
    slot = slot_to_evict();
    const double lowest = distribution_.score(slot);
    const bool is_better =
        lowest < result.score || (config_.evict_on_tie && lowest == result.score);
    if (!is_better) return;
    slots_.erase(buffer_[slot]);
    buffer_[slot] = result.level;
    distribution_.stamp(slot, timestamp);
  }
  slots_.insert(result.level, slot);
  distribution_.set_score(slot, result.score);
}

LevelReplay::Slot LevelReplay::slot_to_evict() {
  if (config_.eviction == Eviction::kProbability) {
    distribution_.probabilities(num_draws_ + 1, scratch_);
  } else {
    scratch_.resize(buffer_.size());
    for (Slot slot = 0; slot < buffer_.size(); ++slot) scratch_[slot] = distribution_.score(slot);
  }
  return static_cast<Slot>(std::min_element(scratch_.begin(), scratch_.end()) - scratch_.begin());
}

std::vector<LevelWeight> LevelReplay::weights() const {
  return level_weights(
      distribution_, num_draws_ + 1, [&](Slot slot) { return level_at(slot); },
      [&](Slot slot) { return distribution_.is_scored(slot); });
}

std::vector<std::byte> LevelReplay::save() const {
  ByteWriter writer;
  writer.text(fields_text(config_));
  writer.number(levels_.fingerprint());
  writer.random(random_);
  writer.number(num_draws_);

  std::vector<std::int64_t> timestamps(distribution_.size());
  std::vector<double> scores(distribution_.size());
  for (Slot slot = 0; slot < timestamps.size(); ++slot) {
    timestamps[slot] = distribution_.timestamp(slot);
    scores[slot] = distribution_.is_scored(slot) ? distribution_.score(slot)
                                                 : std::numeric_limits<double>::quiet_NaN();
  }
  writer.numbers<std::int64_t>(timestamps);
  writer.numbers<double>(scores);
  writer.number(distribution_.scale());

  writer.numbers<std::uint32_t>(seen_.order());
  writer.numbers<std::int64_t>(drawn_at_);
  writer.numbers<LevelId>(buffer_);
  const auto staged = staged_.sorted();
  writer.number<std::uint64_t>(staged.size());
  for (const auto& [level, timestamp] : staged) {
    writer.number(level);
    writer.number(timestamp);
  }
  return writer.seal(kStateName, kStateVersion);
}

void LevelReplay::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, kStateName, kStateVersion);
  expect_settings(reader, config_);
  reader.require(reader.number<std::uint64_t>() == levels_.fingerprint(),
                 "saved with another set of levels");

  LevelReplay restored(levels_, config_, reader.random());
  restored.num_draws_ = reader.number<std::int64_t>();
  reader.require(restored.num_draws_ >= 0 && restored.num_draws_ <= kMaxDraw,
                 "an impossible number of draws");
  const auto is_past = [&](std::int64_t timestamp, std::int64_t earliest) {
    return timestamp >= earliest && timestamp <= restored.num_draws_;
  };

  const std::size_t capacity = num_slots(config_, levels_);
  const auto timestamps = reader.numbers<std::int64_t>(capacity);
  const auto scores = reader.numbers<double>(capacity);
  reader.require(scores.size() == timestamps.size(), "scores and timestamps differ in number");
  for (std::size_t i = 0; i < scores.size(); ++i) {
    reader.require(is_past(timestamps[i], 0), "a timestamp of the future");
    reader.require(!std::isinf(scores[i]), "an infinite score");
    const Slot slot = restored.distribution_.append(timestamps[i]);
    if (!std::isnan(scores[i])) restored.distribution_.set_score(slot, scores[i]);
  }
  const auto scale = reader.number<double>();
  const bool may_be_zero = config_.transform == Transform::kSoftmax;
  reader.require(std::isfinite(scale) && (scale > 0 || may_be_zero), "an impossible scale");
  restored.distribution_.restore_scale(scale);

  const auto order = reader.numbers<std::uint32_t>(capacity);
  const std::size_t num_seen = levels_.is_stream() ? 0 : scores.size();
  reader.require(restored.seen_.restore(order, num_seen), "the seen levels contradict each other");
  restored.drawn_at_ = reader.numbers<std::int64_t>(capacity);
  reader.require(restored.drawn_at_.size() == drawn_at_.size(), "draws of another set of levels");
  for (const std::int64_t timestamp : restored.drawn_at_) {
    reader.require(is_past(timestamp, -1), "a timestamp of the future");
  }

  const auto buffer = reader.numbers<LevelId>(capacity);
  reader.require(buffer.size() == (levels_.is_stream() ? scores.size() : 0), "a buffer too many");
  for (const LevelId level : buffer) {
    reader.require(
        levels_.contains(level) && restored.slots_.insert(level, restored.buffer_.size()),
        "a level twice, or of another set, in the buffer");
    restored.buffer_.push_back(level);
  }
  for (auto left = reader.number<std::uint64_t>(); left > 0; --left) {
    const auto level = reader.number<LevelId>();
    const auto timestamp = reader.number<std::uint64_t>();
    reader.require(levels_.is_stream() && levels_.contains(level) && !restored.slots_.find(level) &&
                       is_past(static_cast<std::int64_t>(timestamp), 0) &&
                       restored.staged_.insert(level, timestamp),
                   "an impossible level is being played");
  }
  reader.expect_end();
  *this = std::move(restored);
}

}  // namespace plr
