#include "plr/learn/policy.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <stdexcept>
#include <vector>

#include "plr/learn/torch_backend.h"

namespace plr::learn {
namespace {

// A network of 1x1 observations whose policy has these probabilities and whose value is the
// observation.
TorchBackend fixed(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  const at::Tensor row = at::tensor(logits);
  const auto num_actions = static_cast<int>(logits.size());
  const auto body = [row, num_actions](const at::Tensor& images, const Recurrence&) -> Output {
    return {row.expand({images.size(0), num_actions}), images.reshape({-1, 1})};
  };
  Parameters none({{"none", {1}, Init::kZero, 1}}, Streams(1).named("init"), at::kCPU);
  return TorchBackend(
      Network({1, 1, 1, num_actions}, {}, 1, Precision::kFp32, std::move(none), body));
}

struct Acted {
  explicit Acted(std::size_t batch)
      : actions(batch), log_probs(batch), values(batch), terms(batch) {}
  Decisions decisions() { return {actions, log_probs, values, terms}; }
  std::vector<std::int32_t> actions;
  std::vector<float> log_probs;
  std::vector<float> values;
  std::vector<float> terms;
};

Acted act(Backend& backend, const PolicyConfig& config, const std::vector<double>& uniforms) {
  Policy policy(backend, config, uniforms.size());
  Acted acted(uniforms.size());
  std::ranges::copy(std::views::iota(std::uint8_t{0}) | std::views::take(uniforms.size()),
                    policy.observations().begin());
  policy.act(uniforms, acted.decisions());
  return acted;
}

Acted act_once(TorchBackend backend, const PolicyConfig& config,
               const std::vector<double>& uniforms) {
  return act(backend, config, uniforms);
}

TEST(Policy, TakesTheFirstActionWhoseCumulativeProbabilityExceedsTheNumber) {
  TorchBackend backend = fixed({0.5, 0.25, 0.25});
  const Acted acted = act(backend, {}, {0, 0.4999, 0.5001, 0.7499, 0.7501, 1 - 0x1p-53});
  EXPECT_EQ(acted.actions, (std::vector<std::int32_t>{0, 0, 1, 1, 2, 2}));
  EXPECT_NEAR(acted.log_probs[0], std::log(0.5), 1e-6);
  EXPECT_NEAR(acted.log_probs[5], std::log(0.25), 1e-6);
  EXPECT_EQ(acted.values, (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST(Policy, NeverTakesAnActionOfProbabilityZero) {
  EXPECT_EQ(act_once(fixed({0, 1, 0}), {}, {0, 0.5, 1 - 0x1p-53}).actions,
            (std::vector<std::int32_t>{1, 1, 1}));
}

TEST(Policy, SamplesActionsWithTheirProbabilities) {
  const std::vector<double> probabilities = {0.4, 0.3, 0.05, 0.2, 0.05};
  Random random = Streams(4).named("actions");
  std::vector<double> uniforms(100'000);
  for (double& u : uniforms) u = random.uniform();
  std::vector<int> counts(5);
  for (const std::int32_t a : act_once(fixed(probabilities), {}, uniforms).actions) {
    ++counts[static_cast<std::size_t>(a)];
  }
  // Chi-square with 4 degrees of freedom exceeds 23.5 once in 10,000 seeds.
  double chi_square = 0;
  for (std::size_t a = 0; a < 5; ++a) {
    const double expected = probabilities[a] * 100'000;
    chi_square += (counts[a] - expected) * (counts[a] - expected) / expected;
  }
  EXPECT_LT(chi_square, 23.5);
}

TEST(Policy, GreedyTakesTheMostProbableAction) {
  EXPECT_EQ(act_once(fixed({0.2, 0.5, 0.3}), {.greedy = true}, {0, 0.5, 0.99}).actions,
            (std::vector<std::int32_t>{1, 1, 1}));
}

TEST(Policy, ComputesTheTermOfTheScoreFunction) {
  TorchBackend backend = fixed({0.5, 0.25, 0.25});
  // (0.5 log 2 + 2 * 0.25 log 4) / log 3 = 1.5 log 2 / log 3.
  EXPECT_NEAR(act(backend, {.score_function = ScoreFunction::kPolicyEntropy}, {0.1}).terms[0],
              1.5 * std::log(2.0) / std::log(3.0), 1e-6);
  EXPECT_NEAR(act(backend, {.score_function = ScoreFunction::kLeastConfidence}, {0.1}).terms[0],
              0.5, 1e-6);
  EXPECT_NEAR(act(backend, {.score_function = ScoreFunction::kMinMargin}, {0.1}).terms[0], 0.75,
              1e-6);
  EXPECT_EQ(act(backend, {}, {0.1}).terms[0], 0);
}

TEST(Policy, ACertainPolicyHasNoEntropy) {
  EXPECT_EQ(
      act_once(fixed({1, 0, 0}), {.score_function = ScoreFunction::kPolicyEntropy}, {0.1}).terms[0],
      0);
}

// A recurrent network whose state counts the steps of an episode; the value is 100 times the step
// plus the observation.  Records the size of every batch.
TorchBackend counting(std::vector<std::int64_t>& batch_sizes) {
  const auto body = [&batch_sizes](const at::Tensor& images, const Recurrence& recurrence) {
    batch_sizes.push_back(images.size(0));
    const at::Tensor step =
        recurrence.state * (1 - recurrence.resets.squeeze(0).unsqueeze(1));  // [B, 1]
    return Output{.logits = at::zeros({images.size(0), 2}),
                  .value = 100 * step + images.reshape({-1, 1}),
                  .state = step + 1};
  };
  Parameters none({{"none", {1}, Init::kZero, 1}}, Streams(1).named("init"), at::kCPU);
  return TorchBackend(
      Network({1, 1, 1, 2}, {}, 1, Precision::kFp32, std::move(none), body, /*state_size=*/1));
}

TEST(Policy, RetiredSlotsLeaveTheBatchesAndChangeNoOtherSlot) {
  std::vector<std::int64_t> batch_sizes;
  TorchBackend backend = counting(batch_sizes);
  Policy policy(backend, {}, 8);
  std::ranges::copy(std::views::iota(std::uint8_t{0}) | std::views::take(8),
                    policy.observations().begin());
  const std::vector<double> uniforms = {0, 0.9, 0, 0.9, 0, 0.9, 0, 0.9};
  Acted acted(8);
  policy.act(uniforms, acted.decisions());
  EXPECT_EQ(acted.values, (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));

  policy.retire(0);         // one of eight: not worth another batch
  policy.begin_episode(1);  // its state is zero again
  policy.act(uniforms, acted.decisions());
  EXPECT_EQ(acted.values, (std::vector<float>{0, 1, 102, 103, 104, 105, 106, 107}));

  policy.retire(3);
  policy.retire(6);
  policy.retire(6);  // has no effect
  policy.begin_episode(4);
  policy.observations()[7] = 9;
  policy.act(uniforms, acted.decisions());
  EXPECT_EQ(acted.values, (std::vector<float>{0, 101, 202, 103, 4, 205, 106, 209}));
  EXPECT_EQ(acted.actions, (std::vector<std::int32_t>{0, 1, 0, 1, 0, 1, 0, 1}));

  for (const std::size_t slot : {1, 2, 4, 5}) policy.retire(slot);
  policy.act(uniforms, acted.decisions());
  EXPECT_EQ(acted.values, (std::vector<float>{0, 101, 202, 103, 4, 205, 106, 309}));
  policy.retire(7);
  policy.act(uniforms, acted.decisions());
  EXPECT_EQ(batch_sizes, (std::vector<std::int64_t>{8, 8, 5, 1}));
}

TEST(Policy, RefusesArraysOfAnotherLength) {
  TorchBackend backend = fixed({0.5, 0.5});
  Policy policy(backend, {.score_function = ScoreFunction::kPolicyEntropy}, 2);
  Acted acted(2);
  EXPECT_THROW(policy.act(std::vector<double>(1), acted.decisions()), std::invalid_argument);
  Acted three(3);
  EXPECT_THROW(policy.act(std::vector<double>(2), three.decisions()), std::invalid_argument);
}

}  // namespace
}  // namespace plr::learn
