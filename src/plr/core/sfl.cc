#include "plr/core/sfl.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "plr/base/bytes.h"
#include "plr/base/saved_settings.h"

namespace plr {
namespace {

constexpr const char* kStateName = "sfl";
constexpr int kStateVersion = 1;

}  // namespace

Sfl::Sfl(LevelSet levels, const SflConfig& config, const Random& random)
    : levels_(std::move(levels)), config_(config), random_(random) {
  check_fields(config_);
  if (config_.num_kept > config_.num_surveyed) {
    throw std::invalid_argument("sfl_kept must be at most sfl_surveyed, " +
                                std::to_string(config_.num_surveyed) + ", not " +
                                std::to_string(config_.num_kept));
  }
}

std::vector<LevelId> Sfl::levels_to_survey() const {
  if (num_rollouts_ % config_.interval != 0) return {};
  Random random = random_;  // record_survey() draws the same levels
  return draw_survey(random);
}

std::vector<LevelId> Sfl::draw_survey(Random& random) const {
  std::vector<LevelId> levels(static_cast<std::size_t>(config_.num_surveyed));
  for (LevelId& level : levels) level = draw_new(random);
  return levels;
}

void Sfl::record_survey(std::span<const double> success_rates) {
  if (success_rates.size() != static_cast<std::size_t>(config_.num_surveyed)) {
    throw std::invalid_argument("a survey of " + std::to_string(config_.num_surveyed) +
                                " levels has as many results, not " +
                                std::to_string(success_rates.size()));
  }
  for (const double rate : success_rates) {
    if (rate >= 0 && rate <= 1) continue;
    throw std::invalid_argument("a success rate must be from 0 to 1, not " + std::to_string(rate));
  }
  const std::vector<LevelId> surveyed = draw_survey(random_);
  const auto learnability = [&](std::size_t i) {
    return success_rates[i] * (1 - success_rates[i]);
  };
  std::vector<std::size_t> order(surveyed.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), learnability);
  order.resize(static_cast<std::size_t>(config_.num_kept));
  kept_.clear();
  learnabilities_.clear();
  for (const std::size_t i : order) {
    kept_.push_back(surveyed[i]);
    learnabilities_.push_back(learnability(i));
  }
}

const RolloutPlan& Sfl::plan(std::size_t num_slots) {
  if (kept_.empty()) {
    throw std::logic_error("no level has been surveyed: call record_survey() before plan()");
  }
  const auto num_kept =
      static_cast<std::size_t>(std::lround(config_.fraction * static_cast<double>(num_slots)));
  plan_ = {.levels = {},
           .best_returns = std::vector<double>(num_slots, 0.0),
           .kind = RolloutKind::kMixed,
           .learn = true};
  while (plan_.levels.size() < num_slots - num_kept) plan_.levels.push_back(draw_new(random_));
  while (plan_.levels.size() < num_slots) {
    plan_.levels.push_back(kept_[random_.below(kept_.size())]);
  }
  return plan_;
}

void Sfl::record(std::span<const RolloutResult> results) {
  check_results(plan_, results);
  ++num_rollouts_;
}

std::vector<LevelWeight> Sfl::weights() const {
  std::vector<LevelWeight> weights(kept_.size());
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    weights[i] = {.level = kept_[i],
                  .is_scored = true,
                  .score = learnabilities_[i],
                  .probability = 1 / static_cast<double>(kept_.size())};
  }
  return weights;
}

std::vector<std::byte> Sfl::save() const {
  ByteWriter writer;
  writer.text(fields_text(config_));
  writer.number(levels_.fingerprint());
  writer.random(random_);
  writer.number(num_rollouts_);
  writer.numbers<LevelId>(kept_);
  writer.numbers<double>(learnabilities_);
  return writer.seal(kStateName, kStateVersion);
}

void Sfl::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, kStateName, kStateVersion);
  expect_settings(reader, config_);
  reader.require(reader.number<std::uint64_t>() == levels_.fingerprint(),
                 "saved with another set of levels");
  Sfl restored(levels_, config_, reader.random());
  restored.num_rollouts_ = reader.number<std::int64_t>();
  const auto limit = static_cast<std::size_t>(config_.num_kept);
  restored.kept_ = reader.numbers<LevelId>(limit);
  restored.learnabilities_ = reader.numbers<double>(limit);
  reader.expect_end();
  reader.require(restored.num_rollouts_ >= 0, "a negative count");
  const std::size_t expected = restored.num_rollouts_ > 0 ? limit : 0;
  reader.require(restored.kept_.size() == expected && restored.learnabilities_.size() == expected,
                 "another number of kept levels");
  for (const double learnability : restored.learnabilities_) {
    reader.require(learnability >= 0 && learnability <= 0.25, "an impossible learnability");
  }
  *this = std::move(restored);
}

}  // namespace plr
