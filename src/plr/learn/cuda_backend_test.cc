// The native kernels around the network (gather, loss, Adam) against libtorch.
#include "plr/learn/cuda_backend.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>

#include "plr/learn/device_testing.h"
#include "plr/learn/ppo_loss.h"

namespace plr::learn {
namespace {

// Outputs of a network, and samples whose ratios and values lie on both sides of the clip.
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
    // Edge cases: an unchanged value, and no advantage.
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

void expect_libtorchs_loss(Backend& backend, const PpoConfig& config, std::int64_t batch,
                           std::int64_t num_actions) {
  const at::Device device = backend.network().device();
  SCOPED_TRACE(::testing::Message() << batch << " samples of " << num_actions << " actions");
  Case ours(batch, num_actions, device);
  Case theirs(batch, num_actions, device);
  const at::Tensor extra_of_ours = (ours.output.logits * 0.01).square().sum();
  const ForwardPass pass{.output = ours.output, .more = {}, .saved = {}};
  const at::Tensor losses = backend.backward(config, ours.minibatch, pass, extra_of_ours).cpu();

  const PpoTerms terms =
      ppo_terms(config, static_cast<int>(num_actions), theirs.minibatch, theirs.output);
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

// A network without native kernels: those around it serve any network.
Network plain_network(at::Device device) {
  Parameters parameters({{"w", {5, 7}, Init::kOrthogonal, 1}}, Streams(1).named("init"), device);
  return Network({1, 1, 1, 2}, {}, 1, Precision::kFp32, std::move(parameters), {});
}

TEST(MakeBackend, UsesLibtorchOnTheCpu) {
  EXPECT_FALSE(make_backend(plain_network(at::kCPU))->is_native());
  EXPECT_FALSE(runs_native_kernels(at::kCPU));
}

TEST(MakeBackend, RefusesNativeKernelsForANetworkThatHasNone) {
  for (const std::string& device : testing::devices()) {
    EXPECT_THROW(make_backend(plain_network(testing::exactly(device)), Kernels::kNative),
                 std::invalid_argument);
  }
}

class CudaBackendTest : public testing::CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    if (!runs_native_kernels(device_)) GTEST_SKIP() << "no native kernels for this GPU";
    backend_ = make_cuda_backend(plain_network(device_));
  }

  std::unique_ptr<Backend> backend_;
};

TEST_F(CudaBackendTest, LossAndItsGradientsEqualLibtorchs) {
  for (const std::int64_t batch : {1, 3, 128, 2048, 2049}) {
    for (const std::int64_t num_actions : {2, 7, 15}) {
      expect_libtorchs_loss(*backend_, {}, batch, num_actions);
      expect_libtorchs_loss(*backend_, {.clip_value_loss = false, .entropy_coef = 0.3}, batch,
                            num_actions);
    }
  }
}

TEST_F(CudaBackendTest, GathersTheSamplesOfTheCurrentMinibatch) {
  // Observations of 48, 12 and 75 bytes are copied in words of 16, 4 and 1.
  for (const std::int64_t side : {4, 2, 5}) {
    UpdateTensors update;
    update.obs = at::randint(256, {40, side, side, 3}, at::kByte).to(device_);
    update.samples = at::randint(7, {40, SampleColumn::kCount}).to(device_, at::kFloat);
    update.permutations = at::randperm(40, at::kLong).view({4, 10}).to(device_);
    update.position = at::full({1}, 2, update.permutations.options());
    const Minibatch minibatch = backend_->gather(update);
    const at::Tensor rows = update.samples.index_select(0, update.permutations[2]);
    const auto column = [&](SampleColumn::Index which) { return rows.select(1, which); };
    EXPECT_TRUE(at::equal(minibatch.obs, update.obs.index_select(0, update.permutations[2])));
    EXPECT_TRUE(at::equal(minibatch.actions, column(SampleColumn::kAction).to(at::kLong)));
    EXPECT_TRUE(at::equal(minibatch.old_log_probs, column(SampleColumn::kLogProb)));
    EXPECT_TRUE(at::equal(minibatch.old_values, column(SampleColumn::kValue)));
    EXPECT_TRUE(at::equal(minibatch.advantages, column(SampleColumn::kAdvantage)));
    EXPECT_TRUE(at::equal(minibatch.returns, column(SampleColumn::kReturn)));
  }
}

TEST_F(CudaBackendTest, StoresLossesAndIncrementsThePosition) {
  UpdateTensors update;
  update.losses = at::zeros({3, LossColumn::kCount}, device_);
  update.position = at::ones({1}, at::TensorOptions(device_).dtype(at::kLong));
  backend_->store_losses(
      at::arange(LossColumn::kCount, at::TensorOptions(device_).dtype(at::kFloat)), update);
  EXPECT_EQ(update.position.item<int>(), 2);
  EXPECT_EQ(update.losses.select(1, 7).sum().item<double>(), 7);
  EXPECT_EQ(update.losses[1][3].item<double>(), 3);
}

}  // namespace
}  // namespace plr::learn
