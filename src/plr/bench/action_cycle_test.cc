#include "plr/bench/action_cycle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace plr::bench {
namespace {

std::vector<Action> next_of(ActionCycle& cycle) {
  const auto actions = cycle.next();
  return {actions.begin(), actions.end()};
}

TEST(ActionCycle, HasOneActionPerSlotAndUsesAllOfThem) {
  ActionCycle cycle(3, ActionSpace::discrete(5));
  std::set<Action> seen;
  for (int step = 0; step < 100; ++step) {
    const std::vector<Action> actions = next_of(cycle);
    ASSERT_EQ(actions.size(), 3);
    seen.insert(actions.begin(), actions.end());
  }
  EXPECT_EQ(seen, (std::set<Action>{0, 1, 2, 3, 4}));
}

TEST(ActionCycle, RepeatsAfterAllItsSteps) {
  ActionCycle cycle(4, ActionSpace::discrete(15));
  std::vector<std::vector<Action>> steps(ActionCycle::kNumSteps);
  for (auto& step : steps) step = next_of(cycle);
  // 15^4 combinations: 1009 steps repeat a few of them, but never two in a row for long.
  EXPECT_GT(std::set(steps.begin(), steps.end()).size(), ActionCycle::kNumSteps * 9 / 10);
  for (const auto& step : steps) ASSERT_EQ(next_of(cycle), step);
}

TEST(ActionCycle, IsTheSameForEqualSizes) {
  ActionCycle one(2, ActionSpace::discrete(7));
  ActionCycle other(2, ActionSpace::discrete(7));
  for (int step = 0; step < 10; ++step) EXPECT_EQ(next_of(one), next_of(other));
}

}  // namespace
}  // namespace plr::bench
