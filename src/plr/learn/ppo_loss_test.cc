#include "plr/learn/ppo_loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <vector>

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
  return ppo_terms(config, 2, minibatch, {at::zeros({1, 2}), at::full({1}, value)});
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

// Of two samples in double precision, against finite differences.
TEST(PpoLoss, HasTheGradientOfItsValueForEveryActionSpace) {
  using Whole = std::initializer_list<std::int64_t>;
  const auto whole = [](Whole numbers) { return at::tensor(numbers); };
  struct Case {
    ActionSpace space;
    at::Tensor actions;
  };
  const std::vector<Case> cases = {
      {4, whole({2, 0})},
      {ActionSpace::multi_discrete({2, 2}), whole({1, 0, 0, 1}).view({2, 2})},
      {ActionSpace::continuous({-1, -1}, {1, 1}), at::tensor({0.4, -0.9, 1.7, 0.2}).view({2, 2})}};
  for (const auto& [space, actions] : cases) {
    const at::Tensor outputs =
        at::tensor({0.3, -0.2, 0.5, -0.4, 0.1, 0.6, -0.3, 0.2}).view({2, 4}).requires_grad_();
    const auto loss = [&](const at::Tensor& at) {
      const Minibatch minibatch{{},
                                actions,
                                at::tensor({-1.3, -2.6}),
                                at::tensor({0.0, 0.0}),
                                at::tensor({1.5, -0.7}),
                                at::tensor({0.0, 0.0})};
      const PpoTerms terms =
          ppo_terms({.clip = 10}, space, minibatch, {at, at::tensor({0.0, 0.0})});
      return terms.policy_loss - 0.1 * terms.entropy;
    };
    loss(outputs).backward();
    constexpr double kStep = 1e-6;
    for (std::int64_t i = 0; i < 8; ++i) {
      const at::Tensor change = at::zeros({8}, at::kDouble);
      change[i] = kStep;
      const at::Tensor up = outputs.detach() + change.view({2, 4});
      const at::Tensor down = outputs.detach() - change.view({2, 4});
      const double slope = ((loss(up) - loss(down)) / (2 * kStep)).item<double>();
      EXPECT_NEAR(outputs.grad().view({8})[i].item<double>(), slope, 1e-7)
          << to_text(space) << ", output " << i;
    }
  }
}

}  // namespace
}  // namespace plr::learn
