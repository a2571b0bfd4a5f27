#include "plr/core/tscl.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "plr/base/bytes.h"
#include "plr/base/saved_settings.h"
#include "plr/core/level_weights.h"

namespace plr {
namespace {

constexpr std::string_view kStateName = "tscl";
constexpr std::uint32_t kStateVersion = 1;

const TsclConfig& checked(const TsclConfig& config, const LevelSet& levels) {
  check_fields(config);
  if (levels.is_stream()) {
    throw std::invalid_argument(
        "curriculum tscl keeps the returns of every level, so levels must be a finite set, not "
        "full");
  }
  return config;
}

// The config of the distribution that TSCL shares with level replay.
LevelReplayConfig distribution_of(const TsclConfig& config) {
  const bool is_greedy = config.policy == TsclPolicy::kEpsilonGreedy;
  return {.transform = is_greedy ? Transform::kEpsilonGreedy : Transform::kSoftmax,
          .temperature = config.temperature,
          .staleness_coef = config.staleness_coef,
          .epsilon = config.epsilon};
}

}  // namespace

double least_squares_slope(std::span<const TimedReturn> points, double first_slope) {
  if (points.size() < 2) return points.empty() ? 0 : first_slope;
  const auto count = static_cast<double>(points.size());
  double mean_time = 0;
  double mean_value = 0;
  for (const TimedReturn& point : points) {
    mean_time += static_cast<double>(point.time) / count;
    mean_value += point.value / count;
  }
  double covariance = 0;
  double variance = 0;
  for (const TimedReturn& point : points) {
    const double time = static_cast<double>(point.time) - mean_time;
    covariance += time * (point.value - mean_value);
    variance += time * time;
  }
  // A covariance that overflows gives no slope.
  return std::isfinite(covariance) ? covariance / variance : 0;
}

Tscl::Tscl(LevelSet levels, const TsclConfig& config, const Random& random,
           const StartConfig& start)
    : levels_(std::move(levels)),
      config_(checked(config, levels_)),
      start_(start),
      random_(random),
      progress_(levels_.size(), 0.0),
      windows_(levels_.size()),
      distribution_(distribution_of(config), levels_.size(), levels_.size()) {
  for (std::uint64_t i = 0; i < levels_.size(); ++i) {
    distribution_.set_score(distribution_.append(0), 0.0);
  }
}

std::vector<LevelId> Tscl::first(std::size_t num_slots) {
  return start_.first_levels == FirstLevels::kSequential ? sequential_levels(levels_, num_slots)
                                                         : Curriculum::first(num_slots);
}

LevelId Tscl::next() {
  const Slot slot = distribution_.draw(random_, num_draws_ + 1);
  distribution_.stamp(slot, ++num_draws_);
  return levels_[slot];
}

void Tscl::choose(LevelId level) {
  distribution_.stamp(static_cast<Slot>(index_of(level)), ++num_draws_);
}

void Tscl::record(const EpisodeResult& result) {
  check_result(result, levels_);
  if (!result.is_finished) return;
  const std::size_t index = index_of(result.level);
  const TimedReturn point{num_episodes_++, result.episode_return};
  Window& window = windows_[index];
  if (std::ssize(window.points) < config_.window) {
    window.points.push_back(point);
  } else {
    window.points[window.oldest] = point;
    window.oldest = (window.oldest + 1) % window.points.size();
  }
  const double slope = least_squares_slope(window.points, config_.first_slope);
  progress_[index] += config_.smoothing * (slope - progress_[index]);
  distribution_.set_score(static_cast<Slot>(index), std::abs(progress_[index]));
}

double Tscl::progress(LevelId level) const { return progress_[index_of(level)]; }

std::size_t Tscl::index_of(LevelId level) const {
  const auto index = levels_.index_of(level);
  if (!index) {
    throw std::out_of_range("level " + std::to_string(level) + " is not in the set of levels");
  }
  return *index;
}

std::vector<LevelWeight> Tscl::weights() const {
  return level_weights(
      distribution_, num_draws_ + 1, [&](Slot slot) { return levels_[slot]; },
      [&](Slot slot) { return !windows_[slot].points.empty(); });
}

std::vector<std::byte> Tscl::save() const {
  ByteWriter writer;
  writer.text(fields_text(config_));
  writer.number(levels_.fingerprint());
  writer.random(random_);
  writer.number(num_draws_);
  writer.number(num_episodes_);
  writer.numbers<double>(progress_);
  for (Slot slot = 0; slot < windows_.size(); ++slot) {
    const Window& window = windows_[slot];
    writer.number(distribution_.timestamp(slot));
    writer.number<std::uint64_t>(window.points.size());
    writer.number<std::uint64_t>(window.oldest);
    for (const TimedReturn& point : window.points) {
      writer.number(point.time);
      writer.number(point.value);
    }
  }
  writer.number(distribution_.scale());
  return writer.seal(kStateName, kStateVersion);
}

void Tscl::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, kStateName, kStateVersion);
  expect_settings(reader, config_);
  reader.require(reader.number<std::uint64_t>() == levels_.fingerprint(),
                 "saved with another set of levels");

  Tscl restored(levels_, config_, reader.random(), start_);
  restored.num_draws_ = reader.number<std::int64_t>();
  restored.num_episodes_ = reader.number<std::int64_t>();
  for (const std::int64_t count : {restored.num_draws_, restored.num_episodes_}) {
    reader.require(count >= 0 && count <= kMaxDraw, "an impossible number of draws or episodes");
  }
  restored.progress_ = reader.numbers<double>(levels_.size());
  reader.require(restored.progress_.size() == levels_.size(), "progress of other levels");
  for (Slot slot = 0; slot < windows_.size(); ++slot) {
    const auto timestamp = reader.number<std::int64_t>();
    reader.require(timestamp >= 0 && timestamp <= restored.num_draws_, "a timestamp of the future");
    restored.distribution_.stamp(slot, timestamp);
    reader.require(std::isfinite(restored.progress_[slot]), "a progress that is not finite");
    restored.distribution_.set_score(slot, std::abs(restored.progress_[slot]));

    Window& window = restored.windows_[slot];
    const auto size = reader.number<std::uint64_t>();
    window.oldest = reader.number<std::uint64_t>();
    const auto limit = static_cast<std::uint64_t>(config_.window);
    reader.require(size <= limit && window.oldest < (size == limit ? limit : 1),
                   "a window of another size");
    for (std::uint64_t i = 0; i < size; ++i) {
      const auto time = reader.number<std::int64_t>();
      const auto value = reader.number<double>();
      reader.require(time >= 0 && time < restored.num_episodes_ && std::isfinite(value),
                     "an impossible return");
      window.points.push_back({time, value});
    }
    // Times increase, starting with the oldest return.
    for (std::uint64_t i = 1; i < size; ++i) {
      reader.require(window.points[(window.oldest + i - 1) % size].time <
                         window.points[(window.oldest + i) % size].time,
                     "returns out of order");
    }
  }
  const auto scale = reader.number<double>();
  reader.require(std::isfinite(scale) && scale >= 0, "an impossible scale");
  restored.distribution_.restore_scale(scale);
  reader.expect_end();
  *this = std::move(restored);
}

}  // namespace plr
