#include "plr/core/rollout_curriculum.h"

#include <stdexcept>
#include <string>

namespace plr {

void check_results(const RolloutPlan& plan, std::span<const RolloutResult> results) {
  if (results.size() == plan.levels.size()) return;
  throw std::invalid_argument("a rollout of " + std::to_string(plan.levels.size()) +
                              " slots has as many results, not " + std::to_string(results.size()));
}

}  // namespace plr
