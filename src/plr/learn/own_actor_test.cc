// Kernels that act on their own against libtorch's forward pass.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "plr/learn/own_kernels.h"
#include "plr/learn/policy.h"
#include "plr/learn/test_devices.h"
#include "plr/learn/test_procgen.h"

namespace plr::learn {
namespace {

using testing::procgen;
using testing::random_bytes;

struct Decided {
  explicit Decided(std::size_t batch)
      : actions(batch), log_probs(batch), values(batch), terms(batch) {}
  std::vector<std::int32_t> actions;
  std::vector<float> log_probs, values, terms;
};

Decided decided_by(const Network& network, const PolicyConfig& config, const at::Tensor& obs) {
  const auto batch = static_cast<std::size_t>(obs.size(0));
  Policy policy(network, config, batch);
  Random random = Streams(4).named("actions");
  std::vector<double> uniforms(batch);
  for (double& u : uniforms) u = random.uniform();
  Decided out(batch);
  policy.act(obs, uniforms, {out.actions, out.log_probs, out.values, out.terms});
  return out;
}

// Larger heads than at the start of training, so that policies are decided and values differ.
Network minigrid(const NetworkShape& shape, const MinigridNetworkConfig& config,
                 at::Device device) {
  Network network =
      make_minigrid_network(shape, config, Streams(7).named("init"), Precision::kFp32, device);
  const at::NoGradGuard no_grad;
  network.parameters()["policy.w"].detach().mul_(100);
  for (const char* name : {"conv1.b", "conv2.b", "conv3.b", "policy.b", "value.b"}) {
    const at::Tensor bias = network.parameters()[name].detach();
    bias.copy_(at::linspace(-0.2, 0.3, bias.numel()));
  }
  return network;
}

void expect_equal_decisions(const Decided& ours, const Decided& theirs, double tolerance) {
  for (std::size_t i = 0; i < ours.actions.size(); ++i) {
    EXPECT_EQ(ours.actions[i], theirs.actions[i]) << i;
    EXPECT_NEAR(ours.log_probs[i], theirs.log_probs[i], tolerance) << i;
    EXPECT_NEAR(ours.values[i], theirs.values[i], tolerance * (1 + std::abs(theirs.values[i])))
        << i;
    EXPECT_NEAR(ours.terms[i], theirs.terms[i], tolerance) << i;
  }
}

TEST(OwnActor, IsNotThereWithoutCuda) {
  const NetworkShape shape{14, 14, 3, 7};
  EXPECT_FALSE(own_minigrid_actor(minigrid(shape, {}, at::kCPU), {}).has_value());
}

class OwnActorTest : public testing::CudaTest {};

TEST_F(OwnActorTest, DecidesOnMiniGridAsLibtorchDoes) {
  struct Case {
    NetworkShape shape;
    MinigridNetworkConfig config;
  };
  for (const Case& c : {Case{{14, 14, 3, 7}, {}},
                        {{19, 19, 3, 7}, {.channels = 64}},
                        {{7, 9, 3, 3}, {}},
                        {{25, 25, 3, 7}, {.channels = 64}},
                        {{6, 6, 3, 7}, {.pool = false}},
                        {{25, 25, 3, 7}, {.pool = false}},
                        {{12, 15, 3, 7}, {.channels = 64, .pool = false, .shared_hidden = true}}}) {
    Network network = minigrid(c.shape, c.config, device_);
    std::optional<OwnActor> actor = own_minigrid_actor(network, c.config);
    if (!actor) GTEST_SKIP() << "built without kernels of our own";
    for (const std::int64_t batch : {64, 1, 13, 40, 150}) {
      for (const ScoreFunction term :
           {ScoreFunction::kValueL1, ScoreFunction::kPolicyEntropy, ScoreFunction::kLeastConfidence,
            ScoreFunction::kMinMargin}) {
        for (const bool greedy : {false, true}) {
          const PolicyConfig config{.score_function = term, .greedy = greedy};
          const at::Tensor obs = random_bytes(c.shape, batch, 11);
          network.set_actor({});
          const Decided theirs = decided_by(network, config, obs);
          network.set_actor(*actor);
          expect_equal_decisions(decided_by(network, config, obs), theirs, 2e-5);
        }
      }
    }
  }
}

TEST_F(OwnActorTest, GivesTheSameBitsEveryTime) {
  const NetworkShape shape{19, 19, 3, 7};
  const MinigridNetworkConfig config{.channels = 64};
  Network network = minigrid(shape, config, device_);
  std::optional<OwnActor> actor = own_minigrid_actor(network, config);
  if (!actor) GTEST_SKIP() << "built without kernels of our own";
  network.set_actor(std::move(*actor));
  const at::Tensor obs = random_bytes(shape, 64, 11);
  const Decided first = decided_by(network, {}, obs);
  for (int i = 0; i < 300; ++i) {
    const Decided again = decided_by(network, {}, obs);
    ASSERT_EQ(again.values, first.values);
    ASSERT_EQ(again.log_probs, first.log_probs);
  }
}

TEST_F(OwnActorTest, SeesChangedWeights) {
  const NetworkShape shape{14, 14, 3, 7};
  Network network = minigrid(shape, {}, device_);
  std::optional<OwnActor> actor = own_minigrid_actor(network, {});
  if (!actor) GTEST_SKIP() << "built without kernels of our own";
  const at::Tensor obs = random_bytes(shape, 8, 11);
  network.set_actor(*actor);
  decided_by(network, {}, obs);
  network.parameters().values().mul_(1.1);
  const Decided ours = decided_by(network, {}, obs);
  network.set_actor({});
  expect_equal_decisions(ours, decided_by(network, {}, obs), 2e-5);
}

double relative_error(const std::vector<float>& ours, const at::Tensor& theirs) {
  const at::Tensor a = at::tensor(ours).to(at::kDouble);
  const at::Tensor b = theirs.cpu().to(at::kDouble);
  return ((a - b).norm() / b.norm()).item<double>();
}

TEST_F(OwnActorTest, SeesProcgenAsLibtorchDoesUpToRounding) {
  for (const bool relu_skip : {false, true}) {
    const ProcgenNetworkConfig config{.relu_skip = relu_skip};
    Network network = procgen(config, Precision::kBf16, device_);
    const Network exact = procgen(config, Precision::kFp32, device_);
    std::optional<OwnActor> actor = own_procgen_actor(network, config);
    if (!actor) GTEST_SKIP() << "no kernels of our own for this device";
    network.set_actor(std::move(*actor));
    for (const std::int64_t batch : {64, 1, 13, 33, 128, 200}) {
      SCOPED_TRACE("batch " + std::to_string(batch) + (relu_skip ? ", relu_skip" : ""));
      const at::Tensor obs = random_bytes({64, 64, 3, 15}, batch, 256);
      const Decided ours = decided_by(network, {.greedy = true}, obs);
      const c10::InferenceMode inference;
      const Output theirs = exact.forward(obs);
      // bf16 keeps 8 bits, and rounding errors of some 2^-9 add up over 17 layers: 5e-3 was seen
      // for logits and 1.2e-2 for values; one wrong pixel at an edge would show as more.
      EXPECT_LT(relative_error(ours.values, theirs.value), 2e-2);
      const at::Tensor best = std::get<0>(at::log_softmax(theirs.logits, 1).max(1));
      EXPECT_LT(relative_error(ours.log_probs, best), 2e-2);
    }
  }
}

TEST_F(OwnActorTest, SeesProcgenWithTheSameBitsInEveryShapeOfCluster) {
  Network network = procgen({}, Precision::kBf16, device_);
  std::optional<OwnActor> actor = own_procgen_actor(network, {});
  if (!actor) GTEST_SKIP() << "no kernels of our own for this device";
  network.set_actor(std::move(*actor));
  const at::Tensor obs = random_bytes({64, 64, 3, 15}, 128, 256);
  const Decided all = decided_by(network, {}, obs);  // a block an image
  for (int i = 0; i < 100; ++i) {
    for (const std::int64_t batch : {32, 64, 128}) {  // 4, 2 and 1 blocks an image
      const Decided some = decided_by(network, {}, obs.narrow(0, 0, batch));
      for (std::size_t k = 0; k < some.values.size(); ++k) {
        ASSERT_EQ(some.values[k], all.values[k]) << batch << ' ' << k;
        ASSERT_EQ(some.log_probs[k], all.log_probs[k]) << batch << ' ' << k;
      }
    }
  }
}

TEST_F(OwnActorTest, PacksProcgensWeightsAgainWhenTheyHaveChanged) {
  Network network = procgen({}, Precision::kBf16, device_);
  std::optional<OwnActor> actor = own_procgen_actor(network, {});
  if (!actor) GTEST_SKIP() << "no kernels of our own for this device";
  network.set_actor(std::move(*actor));
  const at::Tensor obs = random_bytes({64, 64, 3, 15}, 8, 256);
  Policy policy(network, {}, 8);
  const auto look = [&](std::vector<float>& values) {
    policy.ask(obs, std::vector<double>(8));
    policy.answer_values(values);
  };
  std::vector<float> before(8), unpacked(8), after(8);
  look(before);
  network.parameters()["stage1.conv.w"].detach().mul_(2);
  look(unpacked);
  policy.refresh();
  look(after);
  EXPECT_EQ(before, unpacked);
  EXPECT_NE(before, after);
}

}  // namespace
}  // namespace plr::learn
