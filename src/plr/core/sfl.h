// Sampling for learnability (Rutherford et al. 2024): half of the slots play levels that the agent
// solves sometimes, the others new ones.
//
// At intervals the agent plays many new levels without learning. Those of highest learnability
// p (1 - p), where p is the fraction of solved episodes, are kept until the next survey, and
// rollouts draw from them uniformly with replacement. Of equal learnability the level surveyed
// first is kept. The agent learns from every rollout.
//
//   Sfl sfl(LevelSet::stream(0, 1ULL << 63), {}, random);
//   const std::vector<LevelId> levels = sfl.levels_to_survey();
//   if (!levels.empty()) sfl.record_survey(success_rates);
//   const RolloutPlan& plan = sfl.plan(256);     // 128 new levels, then 128 kept ones
//
// plan() takes O(N) for N slots, record_survey() O(n log n) for n levels. Copyable; a copy
// continues the same random stream. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/rollout_curriculum.h"
#include "plr/core/sfl_config.h"

namespace plr {

class Sfl final : public RolloutCurriculum {
 public:
  // `levels` are the new ones, drawn uniformly. Throws std::invalid_argument if a setting is out of
  // bounds or more levels are kept than surveyed.
  Sfl(LevelSet levels, const SflConfig& config, const Random& random);

  std::vector<LevelId> levels_to_survey() const override;
  void record_survey(std::span<const double> success_rates) override;
  // REQUIRES: record_survey(), if levels_to_survey() returned levels.
  const RolloutPlan& plan(std::size_t num_slots) override;
  void record(std::span<const RolloutResult> results) override;

  std::vector<LevelId> levels_in_use() const override { return kept_; }
  // The kept levels; the score is the learnability in the last survey.
  std::vector<LevelWeight> weights() const override;
  std::vector<std::byte> save() const override;
  void load(std::span<const std::byte> bytes) override;

 private:
  LevelId draw_new(Random& random) const { return levels_[random.below(levels_.size())]; }
  std::vector<LevelId> draw_survey(Random& random) const;

  LevelSet levels_;
  SflConfig config_;
  Random random_;
  std::int64_t num_rollouts_ = 0;
  std::vector<LevelId> kept_;           // the highest learnability first
  std::vector<double> learnabilities_;  // of those
  RolloutPlan plan_;
};

}  // namespace plr
