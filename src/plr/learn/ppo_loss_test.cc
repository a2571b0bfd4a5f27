#include "plr/learn/ppo_loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace plr::learn {
namespace {

// One sample: two equally probable actions, the first was taken when it had this probability.
Minibatch sample(double old_probability, double advantage, double old_value, double target) {
  const auto one = [](double x) { return at::full({1}, x); };
  return {{},
          at::zeros({1}, at::kLong),
          one(std::log(old_probability)),
          one(old_value),
          one(advantage),
          one(target)};
}

PpoTerms terms(const Minibatch& minibatch, double value = 0, const PpoConfig& config = {}) {
  return ppo_terms(config, minibatch, {at::zeros({1, 2}), at::full({1}, value)});
}

TEST(PpoLoss, ARatioBeyondTheClipIsNotRewarded) {
  // ratio 0.5 / 0.25 = 2, clipped to 1.2: with advantage 1 the gain is 1.2, with -1 the loss is 2.
  EXPECT_NEAR(terms(sample(0.25, 1, 0, 0)).policy_loss.item<double>(), -1.2, 1e-6);
  EXPECT_NEAR(terms(sample(0.25, -1, 0, 0)).policy_loss.item<double>(), 2, 1e-6);
  EXPECT_EQ(terms(sample(0.25, 1, 0, 0)).clip_fraction.item<double>(), 1);
  EXPECT_EQ(terms(sample(0.5, 1, 0, 0)).clip_fraction.item<double>(), 0);
  // (2 - 1) - log 2
  EXPECT_NEAR(terms(sample(0.25, 1, 0, 0)).approx_kl.item<double>(), 1 - std::log(2.0), 1e-6);
}

TEST(PpoLoss, AValueIsNotRewardedForMovingBeyondTheClip) {
  // From 0 towards 1: at 0.5 the error is 0.25, but clipped to 0.2 it is 0.64.
  EXPECT_NEAR(terms(sample(0.5, 0, 0, 1), 0.5).value_loss.item<double>(), 0.5 * 0.64, 1e-6);
  EXPECT_NEAR(
      terms(sample(0.5, 0, 0, 1), 0.5, {.clip_value_loss = false}).value_loss.item<double>(),
      0.5 * 0.25, 1e-6);
}

TEST(PpoLoss, TwoEqualActionsHaveAnEntropyOfLogTwo) {
  EXPECT_NEAR(terms(sample(0.5, 0, 0, 0)).entropy.item<double>(), std::log(2.0), 1e-6);
}

}  // namespace
}  // namespace plr::learn
