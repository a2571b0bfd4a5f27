#include "plr/learn/drac.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/support/golden.h"

namespace plr::learn {
namespace {

using nlohmann::json;

const NetworkShape kImage{64, 64, 3, 15};

Random stream(std::uint64_t seed = 1) { return Streams(seed).named("augment"); }

at::Tensor table(const json& rows) {
  std::vector<double> numbers;
  for (const json& row : rows) numbers.insert(numbers.end(), row.begin(), row.end());
  return at::tensor(numbers, at::kDouble).view({static_cast<std::int64_t>(rows.size()), -1});
}

at::Tensor row(const json& numbers) {
  return at::tensor(numbers.get<std::vector<double>>(), at::kDouble);
}

double distance(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(DracGolden, LossesAndGradientsEqualRecordedOnes) {
  for (const json& g : testing::golden_lines("drac/losses.jsonl.gz")) {
    SCOPED_TRACE(g.at("case"));
    const at::Tensor logits = table(g.at("logits")).requires_grad_();
    const at::Tensor value = row(g.at("values")).requires_grad_();
    const at::Tensor augmented_logits = table(g.at("logits_aug")).requires_grad_();
    const at::Tensor augmented_value = row(g.at("values_aug")).requires_grad_();

    const at::Tensor divergence = policy_divergence(logits, augmented_logits);
    EXPECT_NEAR(divergence.item<double>(), g.at("G_pi_kl").get<double>(), 1e-9);
    divergence.backward();
    EXPECT_LT(distance(augmented_logits.grad(), table(g.at("dGpi_kl_dlogits_aug"))), 1e-9);
    EXPECT_FALSE(logits.grad().defined());  // held fixed

    const at::Tensor difference = value_difference(value, augmented_value);
    EXPECT_NEAR(difference.item<double>(), g.at("G_V").get<double>(), 1e-9);
    difference.backward();
    EXPECT_LT(distance(augmented_value.grad(), row(g.at("dGV_dvalues_aug"))), 1e-9);
    EXPECT_FALSE(value.grad().defined());

    const at::Tensor actions = at::tensor(g.at("sampled_actions").get<std::vector<std::int64_t>>());
    EXPECT_NEAR(sampled_divergence(actions, augmented_logits).item<double>(),
                g.at("G_pi_sampled").get<double>(), 1e-9);
  }
}

// Logits of the two policies and two values, for one sample or many equal ones.
Output output_of(const at::Tensor& logits, double value, std::int64_t batch = 1) {
  return {logits.expand({batch, -1}), at::full({batch}, value)};
}

TEST(Drac, LossEqualsAHandComputedValue) {
  // p = (1/2, 1/2), q = (1/4, 3/4): KL = ln(2)/2 + ln(2/3)/2 = 0.143841; the values differ by 2.
  const Drac drac({.augmentation = Augmentation::kCrop, .coef = 0.1}, kImage, at::kCPU, stream());
  const Output plain = output_of(at::tensor({0.0F, 0.0F}), 1);
  const Output augmented = output_of(at::tensor({0.0F, std::log(3.0F)}), 3);
  EXPECT_NEAR(drac.loss(plain, augmented).item<double>(), 0.1 * (0.143841 + 0.5 * 4), 1e-6);
  EXPECT_EQ(drac.loss(plain, plain).item<double>(), 0);  // zero without augmentation
}

TEST(Drac, SampledGradientIsExactInTheMean) {
  // The gradient of -log q(a) by the logits is q - [a], whose mean over a ~ p is q - p.
  Drac drac({.augmentation = Augmentation::kCrop, .coef = 1, .sampled = true}, kImage, at::kCPU,
            stream());
  const std::int64_t batch = 200'000;
  const at::Tensor logits = at::tensor({0.5F, -1.0F, 0.2F});
  const at::Tensor augmented = at::tensor({0.0F, 0.3F, 1.0F}).requires_grad_();
  const Rollout rollout({1, 1}, kImage, at::kCPU);
  drac.begin(rollout, 1);
  drac.prepare(0);
  drac.loss(output_of(logits, 0, batch), output_of(augmented, 0, batch)).backward();
  const at::Tensor expected = at::softmax(augmented.detach(), 0) - at::softmax(logits, 0);
  // A frequency deviates by at most 0.5 / sqrt(200,000) = 0.0011.
  EXPECT_LT(distance(augmented.grad(), expected), 5 * 0.0011);
}

// A rollout whose return targets are all the same.
Rollout rollout_of(float target) {
  Rollout rollout({2, 3}, kImage, at::kCPU);
  for (float& r : rollout.returns.all()) r = target;
  return rollout;
}

TEST(Drac, TheBanditIsCreditedWithTheRolloutThatFollowsItsChoice) {
  Drac drac({.ucb = {.each_arm_once = true}}, kImage, at::kCPU, stream());
  drac.begin(rollout_of(100), 1);  // not credited: the bandit has not chosen yet
  EXPECT_EQ(drac.augmentation(), Augmentation::kCrop);
  for (int i = 1; i < 8; ++i) drac.begin(rollout_of(i == 3 ? 2 : 1), 1);
  EXPECT_EQ(drac.augmentation(), Augmentation::kColorJitter);  // each has been tried once
  // The third rollout after the first was collected after gray.
  drac.begin(rollout_of(1), 1);
  EXPECT_EQ(drac.augmentation(), Augmentation::kGrayscale);
}

TEST(Drac, KeepsAFixedAugmentation) {
  Drac drac({.augmentation = Augmentation::kRotate}, kImage, at::kCPU, stream());
  for (int i = 0; i < 5; ++i) {
    drac.begin(rollout_of(static_cast<float>(i)), 1);
    EXPECT_EQ(drac.augmentation(), Augmentation::kRotate);
  }
}

TEST(Drac, AugmentsEachMinibatchDifferently) {
  Drac drac({.augmentation = Augmentation::kCrop}, kImage, at::kCPU, stream());
  Minibatch minibatch;
  minibatch.obs = at::arange(64, at::kByte).view({1, 64, 1, 1}).expand({20, 64, 64, 3});
  drac.begin(rollout_of(0), 2);
  drac.prepare(0);
  const at::Tensor first = drac.augmented(minibatch);
  EXPECT_TRUE(at::equal(drac.augmented(minibatch), first));
  drac.prepare(1);
  EXPECT_FALSE(at::equal(drac.augmented(minibatch), first));
}

TEST(Drac, ContinuesIdenticallyAfterLoad) {
  const DracConfig config{.ucb = {.exploration = 1, .window = 2}};
  Drac original(config, kImage, at::kCPU, stream(1));
  Drac other(config, kImage, at::kCPU, stream(2));
  for (int i = 0; i < 9; ++i) original.begin(rollout_of(std::sin(static_cast<float>(i))), 3);
  other.load(original.save());
  for (int i = 0; i < 20; ++i) {
    original.begin(rollout_of(std::cos(static_cast<float>(i))), 3);
    other.begin(rollout_of(std::cos(static_cast<float>(i))), 3);
    EXPECT_EQ(original.augmentation(), other.augmentation());
  }
  EXPECT_EQ(original.save(), other.save());
  std::vector<std::byte> damaged = original.save();
  damaged[damaged.size() / 2] ^= std::byte{1};
  EXPECT_THROW(other.load(damaged), std::runtime_error);
  Drac without(DracConfig{}, kImage, at::kCPU, stream(1));
  EXPECT_THROW(without.load(original.save()), std::runtime_error);
}

TEST(Drac, RefusesImpossibleAugmentationsInTheConstructor) {
  const NetworkShape gray{64, 64, 1, 15};
  EXPECT_THROW(Drac({}, gray, at::kCPU, stream()), std::invalid_argument);  // ucb needs all
  EXPECT_THROW(Drac({.augmentation = Augmentation::kColorJitter}, gray, at::kCPU, stream()),
               std::invalid_argument);
  EXPECT_NO_THROW(Drac({.augmentation = Augmentation::kCrop}, gray, at::kCPU, stream()));
  EXPECT_THROW(Drac({.coef = -1}, kImage, at::kCPU, stream()), std::invalid_argument);
}

}  // namespace
}  // namespace plr::learn
