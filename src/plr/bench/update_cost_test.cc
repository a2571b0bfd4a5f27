#include "plr/bench/update_cost.h"

#include <gtest/gtest.h>

#include <vector>

#include "plr/learn/augment.h"

namespace plr::bench {
namespace {

TEST(UpdateCost, IsRelativeToPlainPpo) {
  const std::vector<MethodTime> times = {
      {"ppo", 4}, {"mixreg", 5}, {"drac, crop", 6}, {"drac, flip", 10}};
  const auto costs = update_costs(times, {.minibatch = 128, .num_minibatches = 8});
  ASSERT_EQ(costs.size(), 5);
  EXPECT_EQ(costs[0].method, "ppo");
  EXPECT_DOUBLE_EQ(costs[0].milliseconds, 500);  // 4 s for 8 mini-batches
  EXPECT_DOUBLE_EQ(costs[0].samples_per_second, 256);
  EXPECT_DOUBLE_EQ(costs[0].relative, 1);
  EXPECT_DOUBLE_EQ(costs[1].relative, 1.25);
}

TEST(UpdateCost, OfABanditIsTheMeanOverTheAugmentations) {
  const std::vector<MethodTime> times = {
      {"ppo", 4}, {"mixreg", 5}, {"drac, crop", 6}, {"drac, flip", 10}};
  const auto costs = update_costs(times, {.minibatch = 128, .num_minibatches = 8});
  EXPECT_EQ(costs.back().method, "ucb-drac (mean of these)");
  EXPECT_DOUBLE_EQ(costs.back().relative, 2);  // (6 + 10) / 2 of 4
  EXPECT_DOUBLE_EQ(costs.back().milliseconds, 1000);
}

TEST(UpdateCost, IsMeasuredForEveryMethodAndNetwork) {
  const learn::ComputeConfig compute;
  const at::Device device = learn::configure(compute);
  const UpdateMeasurement small = {.minibatch = 2, .num_minibatches = 1, .rounds = 1};
  for (std::size_t i = 0; i < enum_names(PresetNetwork{}).size(); ++i) {
    const auto costs = measure_updates(static_cast<PresetNetwork>(i), small, compute, device);
    EXPECT_EQ(costs[0].method, "ppo");
    if (static_cast<PresetNetwork>(i) == PresetNetwork::kMaze) {  // which has no other method
      EXPECT_EQ(costs.size(), 1);
      continue;
    }
    ASSERT_EQ(costs.size(), 2 + learn::kNumAugmentations + 1);
    EXPECT_EQ(costs[1].method, "mixreg");
    EXPECT_EQ(costs[2].method, "drac, crop");
    for (const UpdateCost& cost : costs) EXPECT_GT(cost.milliseconds, 0) << cost.method;
  }
}

}  // namespace
}  // namespace plr::bench
