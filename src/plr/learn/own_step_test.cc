// Our own kernels around the network against libtorch.
#include "plr/learn/own_step.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <optional>

#include "plr/learn/ppo_loss.h"
#include "plr/learn/test_devices.h"

namespace plr::learn {
namespace {

// Logits and values as a network would give them, and samples whose ratios and values lie on both
// sides of the clip.
struct Case {
  Case(std::int64_t batch, std::int64_t num_actions, at::Device device) {
    at::manual_seed(5);
    const auto normal = [&](at::IntArrayRef shape) { return at::randn(shape).to(device); };
    output = {normal({batch, num_actions}).requires_grad_(), normal({batch}).requires_grad_()};
    const at::Tensor log_probs = at::log_softmax(output.logits.detach(), 1);
    minibatch.actions = at::randint(num_actions, {batch}, at::kLong).to(device);
    minibatch.old_log_probs =
        log_probs.gather(1, minibatch.actions.unsqueeze(1)).squeeze(1) + 0.3 * normal({batch});
    minibatch.old_values = output.value.detach() + 0.3 * normal({batch});
    minibatch.advantages = normal({batch});
    minibatch.returns = normal({batch});
    // The edges: nothing has changed, and no advantage.
    minibatch.old_values[0].copy_(output.value.detach()[0]);
    minibatch.advantages[0].zero_();
  }

  Output output;
  Minibatch minibatch;
};

at::Tensor total_of(const PpoConfig& config, const PpoTerms& terms) {
  return terms.policy_loss + config.value_coef * terms.value_loss -
         config.entropy_coef * terms.entropy;
}

void expect_libtorchs_loss(const OwnStep& own, at::Device device, const PpoConfig& config,
                           std::int64_t batch, std::int64_t num_actions) {
  SCOPED_TRACE(::testing::Message() << batch << " samples of " << num_actions << " actions");
  Case ours(batch, num_actions, device);
  Case theirs(batch, num_actions, device);
  const at::Tensor extra_of_ours = (ours.output.logits * 0.01).square().sum();
  const at::Tensor losses = own.backward(config, ours.minibatch, ours.output, extra_of_ours).cpu();

  const PpoTerms terms = ppo_terms(config, theirs.minibatch, theirs.output);
  const at::Tensor extra = (theirs.output.logits * 0.01).square().sum();
  const at::Tensor total = total_of(config, terms) + extra;
  total.backward();

  int i = 0;
  for (const at::Tensor& wanted : {terms.value_loss, terms.policy_loss, terms.entropy, extra, total,
                                   at::Tensor(), terms.clip_fraction, terms.approx_kl}) {
    if (wanted.defined()) {
      EXPECT_NEAR(losses[i].item<double>(), wanted.item<double>(), 2e-6) << "loss " << i;
    }
    ++i;
  }
  const auto error = [&](const at::Tensor& a, const at::Tensor& b) {
    return (a.grad() - b.grad()).abs().max().item<double>() * static_cast<double>(batch);
  };
  EXPECT_LT(error(ours.output.logits, theirs.output.logits), 1e-5);
  EXPECT_LT(error(ours.output.value, theirs.output.value), 1e-5);
}

TEST(OwnStep, IsNotThereWithoutCudaOrWhereLibtorchsIsWanted) {
  EXPECT_FALSE(OwnStep::on(at::kCPU, Kernels::kAuto).has_value());
  if (at::hasCUDA()) {
    EXPECT_FALSE(OwnStep::on(at::kCUDA, Kernels::kLibtorch).has_value());
  }
}

class OwnStepTest : public testing::CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    own_ = OwnStep::on(device_, Kernels::kAuto);
    if (!own_) GTEST_SKIP() << "no kernels of our own for this device";
  }

  std::optional<OwnStep> own_;
};

TEST_F(OwnStepTest, LosesAsLibtorchDoesAndWithTheSameGradients) {
  for (const std::int64_t batch : {1, 3, 128, 2048, 2049}) {
    for (const std::int64_t num_actions : {2, 7, 15}) {
      expect_libtorchs_loss(*own_, device_, {}, batch, num_actions);
      expect_libtorchs_loss(*own_, device_, {.clip_value_loss = false, .entropy_coef = 0.3}, batch,
                            num_actions);
    }
  }
}

TEST_F(OwnStepTest, GathersTheSamplesOfTheMinibatchItIsAt) {
  // Observations of 48, 12 and 75 bytes are copied in words of 16, 4 and 1.
  for (const std::int64_t side : {4, 2, 5}) {
    const at::Tensor obs = at::randint(256, {40, side, side, 3}, at::kByte).to(device_);
    const at::Tensor samples = at::randint(7, {40, 5}).to(device_, at::kFloat);
    const at::Tensor orders = at::randperm(40, at::kLong).view({4, 10}).to(device_);
    const at::Tensor position = at::full({1}, 2, orders.options());
    const Minibatch minibatch = own_->gather(obs, samples, orders, position);
    const at::Tensor rows = samples.index_select(0, orders[2]);
    EXPECT_TRUE(at::equal(minibatch.obs, obs.index_select(0, orders[2])));
    EXPECT_TRUE(at::equal(minibatch.actions, rows.select(1, 0).to(at::kLong)));
    EXPECT_TRUE(at::equal(minibatch.old_log_probs, rows.select(1, 1)));
    EXPECT_TRUE(at::equal(minibatch.old_values, rows.select(1, 2)));
    EXPECT_TRUE(at::equal(minibatch.advantages, rows.select(1, 3)));
    EXPECT_TRUE(at::equal(minibatch.returns, rows.select(1, 4)));
  }
}

TEST_F(OwnStepTest, NotesTheLossesAndMovesOn) {
  const at::Tensor table = at::zeros({3, 8}, device_);
  const at::Tensor position = at::ones({1}, at::TensorOptions(device_).dtype(at::kLong));
  own_->note(at::arange(8, at::TensorOptions(device_).dtype(at::kFloat)), table, position);
  EXPECT_EQ(position.item<int>(), 2);
  EXPECT_EQ(table.select(1, 7).sum().item<double>(), 7);
  EXPECT_EQ(table[1][3].item<double>(), 3);
}

}  // namespace
}  // namespace plr::learn
