// The interface of a curriculum that decides once per rollout, as in JaxUED and minimax.
//
// The curriculum plans a rollout: the level that each slot plays and repeats until the rollout
// ends, and whether the agent learns from it. All slots start their levels when the rollout begins.
// The results, one per slot, are recorded at its end:
//
//   const RolloutPlan& plan = curriculum.plan(num_slots);
//   ...                                        // a rollout on plan.levels
//   score_rollout(steps, discounts, plan.best_returns, results);
//   curriculum.record(results);
//   if (plan.learn) ...                        // update the agent
//
// A curriculum that needs the success rates of many levels says so before a plan:
//
//   const std::vector<LevelId> levels = curriculum.levels_to_survey();
//   if (!levels.empty()) curriculum.record_survey(success_rates_of(levels));
//
// rollout_replay.h is PLR, robust PLR and ACCEL; sfl.h is sampling for learnability. States are
// saved between record() and the next plan(). Implementations are copyable and not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/curriculum.h"
#include "plr/core/rollout_scores.h"

namespace plr {

// Where the levels of a rollout come from.
enum class RolloutKind : std::uint8_t { kNew, kReplay, kEdited, kMixed };
constexpr std::array<std::string_view, 4> enum_names(RolloutKind) {
  return {"new", "replay", "edited", "mixed"};
}

struct RolloutPlan {
  std::vector<LevelId> levels;       // [slot]
  std::vector<double> best_returns;  // [slot]: the highest return on the level so far, 0 if unknown
  RolloutKind kind = RolloutKind::kNew;
  bool learn = true;  // whether the agent learns from the rollout
};

// Throws std::invalid_argument if there are not as many results as slots.
void check_results(const RolloutPlan& plan, std::span<const RolloutResult> results);

// Operations on the levels of an environment. A function that the environment does not offer is
// empty.
struct LevelTools {
  // A level that differs from its parent by so many random edits; the parent's id if they are
  // equal.
  std::function<LevelId(LevelId parent, int num_edits, Random& random)> edit = {};
  // The return of the shortest solution; 0 if there is none.
  std::function<double(LevelId level)> optimal_return = {};
};

class RolloutCurriculum : public CurriculumBase {
 public:
  // The next rollout. Valid until the next call.
  virtual const RolloutPlan& plan(std::size_t num_slots) = 0;

  // The results of the planned rollout, by slot. Throws std::invalid_argument if there are not as
  // many as slots, and then changes nothing.
  virtual void record(std::span<const RolloutResult> results) = 0;

  // The levels of which the curriculum needs success rates before the next plan; usually none.
  virtual std::vector<LevelId> levels_to_survey() const { return {}; }
  // REQUIRES: the rates of levels_to_survey(), in this order.
  virtual void record_survey(std::span<const double> /*success_rates*/) {}

  // All levels that may be planned again, or edited; other stored levels can be dropped.
  virtual std::vector<LevelId> levels_in_use() const = 0;
};

}  // namespace plr
