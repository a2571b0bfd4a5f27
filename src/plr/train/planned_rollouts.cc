#include "plr/train/planned_rollouts.h"

#include <algorithm>

namespace plr::train {
namespace {

// Levels of the store that are not in use are dropped when it holds more levels than this, and than
// twice those that were left by the last drop.
constexpr std::size_t kMinStored = 10'000;

}  // namespace

bool PlannedRollouts::play(collect::StepTables& rollout, const Survey& survey) {
  if (!survey_if_due(survey)) return false;
  const std::size_t num_slots = parts_.collector.levels().size();
  plan_ = parts_.curriculum.plan(num_slots);
  parts_.collector.fill(rollout, plan_.levels);
  results_.resize(num_slots);
  score_rollout({.num_slots = num_slots,
                 .rewards = rollout.rewards.all(),
                 .values = rollout.values.all(),
                 .done = rollout.done.all()},
                discounts_, plan_.best_returns, results_);
  parts_.curriculum.record(results_);
  if (parts_.store.size() > std::max(kMinStored, 2 * num_left_)) drop_unused_levels();
  return true;
}

bool PlannedRollouts::survey_if_due(const Survey& survey) {
  const std::vector<LevelId> levels = parts_.curriculum.levels_to_survey();
  if (levels.empty()) return true;
  const std::optional<std::vector<double>> rates = survey(levels);
  if (rates) parts_.curriculum.record_survey(*rates);
  return rates.has_value();
}

std::int64_t PlannedRollouts::num_unmeasured() const {
  return std::ranges::count(results_, 0, &RolloutResult::episodes);
}

void PlannedRollouts::drop_unused_levels() {
  std::vector<LevelId> used = parts_.curriculum.levels_in_use();
  const std::span<const LevelId> played = parts_.collector.levels();
  used.insert(used.end(), played.begin(), played.end());
  parts_.store.keep(used);
  num_left_ = parts_.store.size();
}

}  // namespace plr::train
