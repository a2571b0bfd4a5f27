// Plays the rollouts that a curriculum plans (core/rollout_curriculum.h).
//
//   PlannedRollouts rollouts({curriculum, collector, store}, {.gamma = 0.995});
//   if (!rollouts.play(rollout, survey)) return;   // stopped during a survey
//   if (rollouts.plan().learn) ...                 // update the agent
//
// Levels of the store that neither the curriculum nor a slot uses are dropped from time to time.
//
// The parts must outlive it. Copyable with shared parts. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "plr/collect/collector.h"
#include "plr/core/level_store.h"
#include "plr/core/rollout_curriculum.h"

namespace plr::train {

class PlannedRollouts {
 public:
  struct Parts {
    RolloutCurriculum& curriculum;
    collect::Collector& collector;
    LevelStore& store;
  };
  // The success rates of levels under the current policy, in their order; nothing if it was
  // stopped.
  using Survey = std::function<std::optional<std::vector<double>>(std::span<const LevelId> levels)>;

  PlannedRollouts(const Parts& parts, const Discounts& discounts)
      : parts_(parts), discounts_(discounts) {}

  // Plans a rollout, plays it and records its results; makes a survey before if the curriculum
  // needs one. False if the survey was stopped; nothing has changed then.
  bool play(collect::StepTables& rollout, const Survey& survey);

  // The last plan; that of a resumed run is empty.
  const RolloutPlan& plan() const { return plan_; }
  // Levels of the last rollout on which no episode ended.
  std::int64_t num_unmeasured() const;

  // Drops all levels of the store that are not in use.
  void drop_unused_levels();

 private:
  bool survey_if_due(const Survey& survey);

  Parts parts_;
  Discounts discounts_;
  RolloutPlan plan_;
  std::vector<RolloutResult> results_;
  std::size_t num_left_ = 0;  // levels of the store after the last drop
};

}  // namespace plr::train
