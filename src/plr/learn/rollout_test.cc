#include "plr/learn/rollout.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace plr::learn {
namespace {

const NetworkShape kTiny{2, 2, 1, 3};

TEST(Rollout, SetObsCopiesOnlyTheGivenStep) {
  Rollout rollout({.num_steps = 2, .num_slots = 3}, kTiny, at::kCPU);
  rollout.set_obs(1, std::vector<std::uint8_t>(12, 7));
  EXPECT_TRUE(at::equal(rollout.obs().sum({2, 3, 4}),
                        at::tensor({0, 0, 0, 28, 28, 28, 0, 0, 0}, at::kLong).view({3, 3})));
}

TEST(Rollout, RefusesAStepOrSizeOutOfRange) {
  Rollout rollout({.num_steps = 2, .num_slots = 3}, kTiny, at::kCPU);
  EXPECT_THROW(rollout.set_obs(3, std::vector<std::uint8_t>(12)), std::out_of_range);
  EXPECT_THROW(rollout.set_obs(0, std::vector<std::uint8_t>(8)), std::invalid_argument);
  EXPECT_THROW(Rollout({.num_steps = 0, .num_slots = 3}, kTiny, at::kCPU), std::invalid_argument);
}

TEST(ComputeAdvantages, DoNotCrossTheEndOfAnEpisode) {
  // Slot 0 ends with its last step; slot 1 continues and is bootstrapped with 0.8.  The numbers:
  // gamma 0.999, lambda 0.95, so A = (0.4638494, 0.384015, 0.3) and (0.2829897, 0.1934458, 0.0992).
  Rollout rollout({.num_steps = 3, .num_slots = 2}, kTiny, at::kCPU);
  std::ranges::copy(std::vector<float>{.5F, .5F, .6F, .6F, .7F, .7F, .8F, .8F},
                    rollout.values.all().begin());
  rollout.rewards[2][0] = 1;
  rollout.done[2][0] = 1;
  compute_advantages(rollout, 0.999, 0.95);
  EXPECT_NEAR(rollout.advantages[0][0], 0.4638494, 1e-6);
  EXPECT_NEAR(rollout.advantages[1][0], 0.384015, 1e-6);
  EXPECT_NEAR(rollout.advantages[2][0], 0.3, 1e-6);
  EXPECT_NEAR(rollout.advantages[0][1], 0.2829897, 1e-6);
  EXPECT_NEAR(rollout.advantages[1][1], 0.1934458, 1e-6);
  EXPECT_NEAR(rollout.advantages[2][1], 0.0992, 1e-6);
  EXPECT_NEAR(rollout.returns[0][0], 0.9638494, 1e-6);
}

}  // namespace
}  // namespace plr::learn
