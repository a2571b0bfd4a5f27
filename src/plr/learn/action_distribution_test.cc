#include "plr/learn/action_distribution.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "plr/base/random.h"
#include "plr/learn/action_noise.h"

namespace plr::learn {
namespace {

const ActionSpace kTwoChoices = ActionSpace::multi_discrete({3, 2});
const ActionSpace kTwoFloats = ActionSpace::continuous({-1, -1}, {1, 1});
const at::Tensor kLogits = at::tensor({0.5F, -1.0F, 2.0F, 0.1F, 0.3F}).unsqueeze(0);
const at::Tensor kMeansAndLogDeviations = at::tensor({0.3F, -1.2F, 0.1F, -0.7F}).unsqueeze(0);

// The numbers are those of torch.distributions: Categorical(logits=...) of each word, added, and
// Normal(means, exp(log deviations)), summed (torch 2.13).
TEST(ActionDistribution, GoldenMultiDiscreteAgreesWithTorchDistributions) {
  const ActionDistribution policy(kTwoChoices, kLogits);
  const auto log_prob = [&](std::int64_t first, std::int64_t second) {
    return policy.log_prob(at::tensor({first, second}).unsqueeze(0)).item<double>();
  };
  EXPECT_NEAR(log_prob(2, 1), -0.83945018, 1e-6);
  EXPECT_NEAR(log_prob(0, 0), -2.53945017, 1e-6);
  EXPECT_NEAR(policy.entropy().item<double>(), 1.30975676, 1e-6);
}

TEST(ActionDistribution, GoldenContinuousAgreesWithTorchDistributions) {
  const ActionDistribution policy(kTwoFloats, kMeansAndLogDeviations);
  const at::Tensor action = at::tensor({1.0F, -1.5F}).unsqueeze(0);
  EXPECT_NEAR(policy.log_prob(action).item<double>(), -1.62094998, 1e-6);
  EXPECT_NEAR(policy.entropy().item<double>(), 2.23787713, 1e-6);
}

TEST(ActionDistribution, HasTheMostProbableActionAsItsMode) {
  EXPECT_TRUE(ActionDistribution(5, kLogits).mode().equal(at::tensor({std::int64_t{2}})));
  EXPECT_TRUE(ActionDistribution(kTwoChoices, kLogits)
                  .mode()
                  .equal(at::tensor({std::int64_t{2}, std::int64_t{1}}).unsqueeze(0)));
  EXPECT_TRUE(ActionDistribution(kTwoFloats, kMeansAndLogDeviations)
                  .mode()
                  .equal(at::tensor({0.3F, -1.2F}).unsqueeze(0)));
}

// Noise as inference makes it, for many independent actions.
at::Tensor noise_of(const ActionSpace& space, std::int64_t count) {
  Random random = Streams(3).named("actions");
  const at::Tensor noise = at::empty({count, static_cast<std::int64_t>(space.size())}, at::kDouble);
  for (std::int64_t i = 0; i < count; ++i) {
    const at::Tensor row = noise[i];
    action_noise(space, random.uniform(), {row.mutable_data_ptr<double>(), space.size()});
  }
  return noise;
}

constexpr std::int64_t kCount = 20'000;

TEST(ActionDistribution, SamplesTheWordsOfAMultiDiscreteActionIndependently) {
  const ActionDistribution policy(kTwoChoices, kLogits.expand({kCount, 5}));
  const at::Tensor actions = policy.sample(noise_of(kTwoChoices, kCount));
  for (std::int64_t first = 0; first < 3; ++first) {
    for (std::int64_t second = 0; second < 2; ++second) {
      const auto both = actions.select(1, 0).eq(first).logical_and(actions.select(1, 1).eq(second));
      const at::Tensor action = at::tensor({first, second}).expand({kCount, 2});
      const double p = std::exp(policy.log_prob(action)[0].item<double>());
      // Four standard deviations of a binomial share: at most 4 * sqrt(0.25 / 20,000) = 0.0142.
      EXPECT_NEAR(both.to(at::kDouble).mean().item<double>(), p, 0.0142) << first << ' ' << second;
    }
  }
}

TEST(ActionDistribution, SamplesFloatsFromIndependentNormals) {
  const ActionDistribution policy(kTwoFloats, kMeansAndLogDeviations.expand({kCount, 4}));
  const at::Tensor actions = policy.sample(noise_of(kTwoFloats, kCount)).to(at::kDouble);
  const double deviations[] = {std::exp(0.1), std::exp(-0.7)};
  const double means[] = {0.3, -1.2};
  for (std::int64_t i = 0; i < 2; ++i) {
    const at::Tensor z = (actions.select(1, i) - means[i]) / deviations[i];
    // Four standard errors: 4 / sqrt(n), 4 sqrt(2 / n), and 4 sqrt(96 / n) of the fourth moment.
    EXPECT_NEAR(z.mean().item<double>(), 0, 0.0283);
    EXPECT_NEAR(z.square().mean().item<double>(), 1, 0.04);
    EXPECT_NEAR(z.pow(4).mean().item<double>(), 3, 0.28);
  }
  const at::Tensor z =
      (actions - at::tensor({means[0], means[1]})) / at::tensor({deviations[0], deviations[1]});
  EXPECT_NEAR(z.prod(1).mean().item<double>(), 0, 0.0283);  // the correlation
}

TEST(ActionNoise, OfADiscreteActionIsTheUniformNumberItself) {
  double noise = 0;
  action_noise(7, 0.625, {&noise, 1});
  EXPECT_EQ(noise, 0.625);
}

// Joint probabilities of all six actions, by hand.
TEST(ActionDistribution, PolicyTermsAreThoseOfTheJointDistribution) {
  const ActionDistribution policy(kTwoChoices, kLogits);
  std::vector<double> joint;
  for (std::int64_t first = 0; first < 3; ++first) {
    for (std::int64_t second = 0; second < 2; ++second) {
      const at::Tensor action = at::tensor({first, second}).unsqueeze(0);
      joint.push_back(std::exp(policy.log_prob(action).item<double>()));
    }
  }
  std::vector<float> log_probs;
  for (const double p : joint) log_probs.push_back(static_cast<float>(std::log(p)));
  for (const ScoreFunction function :
       {ScoreFunction::kPolicyEntropy, ScoreFunction::kLeastConfidence, ScoreFunction::kMinMargin,
        ScoreFunction::kValueL1}) {
    EXPECT_NEAR(policy.policy_terms(function).item<double>(), policy_term(function, log_probs),
                2e-6)
        << to_text(function);
  }
}

TEST(ActionDistribution, PolicyTermsAllowAWordWithOneChoice) {
  const ActionSpace space = ActionSpace::multi_discrete({1, 2});
  const ActionDistribution policy(space, at::tensor({4.0F, 0.1F, 0.3F}).unsqueeze(0));
  // The first word decides nothing: p = 0.5498, 0.4502.
  EXPECT_NEAR(policy.policy_terms(ScoreFunction::kMinMargin).item<double>(),
              1 - (0.549834 - 0.450166), 1e-5);
}

// The gradient of log-probability and entropy against finite differences in double precision.
TEST(ActionDistribution, HasTheGradientsOfItsValues) {
  for (const ActionSpace& space : {ActionSpace(5), kTwoChoices, kTwoFloats}) {
    const auto n = num_outputs(space);
    const at::Tensor outputs = (space.is_continuous() ? kMeansAndLogDeviations : kLogits)
                                   .narrow(1, 0, n)
                                   .to(at::kDouble)
                                   .clone()
                                   .requires_grad_();
    at::Tensor action = at::tensor({std::int64_t{1}});
    if (space.kind == ActionSpace::Kind::kMultiDiscrete) {
      action = at::tensor({std::int64_t{1}, std::int64_t{0}}).unsqueeze(0);
    }
    if (space.is_continuous()) action = at::tensor({0.7, -0.4}).unsqueeze(0);
    const auto value = [&](const at::Tensor& at) {
      const ActionDistribution policy(space, at);
      return (policy.log_prob(action) + 0.3 * policy.entropy()).sum();
    };
    value(outputs).backward();
    constexpr double kStep = 1e-6;
    for (std::int64_t i = 0; i < n; ++i) {
      const at::Tensor change = at::zeros_like(outputs);
      change[0][i] = kStep;
      const at::Tensor fixed = outputs.detach();
      const double slope =
          ((value(fixed + change) - value(fixed - change)) / (2 * kStep)).item<double>();
      EXPECT_NEAR(outputs.grad()[0][i].item<double>(), slope, 1e-7) << to_text(space) << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace plr::learn
