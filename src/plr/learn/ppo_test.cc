#include "plr/learn/ppo.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

#include "plr/learn/backend.h"
#include "plr/learn/device_testing.h"
#include "plr/learn/grid_cnn_network.h"
#include "plr/learn/policy.h"

namespace plr::learn {
namespace {

const NetworkShape kTiny{7, 7, 1, 3};
constexpr RolloutSize kSize{.num_steps = 8, .num_slots = 16};
constexpr PpoConfig kConfig{.epochs = 2, .num_minibatches = 4, .adam = {.learning_rate = 7e-4}};

std::unique_ptr<Backend> tiny_backend(std::uint64_t seed = 1, at::Device device = at::kCPU) {
  return make_backend(
      make_grid_cnn_network(kTiny, {}, Streams(seed).named("init"), Precision::kFp32, device));
}

// Plays a game of one step: a bright band at the top, in the middle or at the bottom of the
// observation says which action earns 1.
double play(Backend& backend, Random& random, Rollout& rollout) {
  Policy policy(backend, {}, rollout.num_slots());
  const std::size_t cells = policy.observations().size() / rollout.num_slots();
  const std::size_t band = 2 * kTiny.width;
  std::vector<double> uniforms(rollout.num_slots());
  std::vector<std::uint8_t> wanted(rollout.num_slots());
  double earned = 0;
  for (std::size_t t = 0; t < rollout.num_steps(); ++t) {
    for (std::size_t i = 0; i < rollout.num_slots(); ++i) {
      wanted[i] = static_cast<std::uint8_t>(random.below(3));
      const std::span<std::uint8_t> obs = policy.observations().subspan(i * cells, cells);
      std::ranges::fill(obs, std::uint8_t{0});
      std::ranges::fill(obs.subspan(wanted[i] * band, band), std::uint8_t{5});
      uniforms[i] = random.uniform();
    }
    rollout.set_obs(t, policy.observations());
    policy.act(uniforms, {rollout.actions[t], rollout.log_probs[t], rollout.values[t], {}});
    for (std::size_t i = 0; i < rollout.num_slots(); ++i) {
      rollout.rewards[t][i] = rollout.actions[t][i] == wanted[i] ? 1 : 0;
      rollout.done[t][i] = 1;
      earned += rollout.rewards[t][i];
    }
  }
  compute_advantages(rollout, 0.999, 0.95);
  return earned / static_cast<double>(rollout.num_samples());
}

// A small run.
struct TinyRun {
  explicit TinyRun(std::uint64_t seed, const PpoConfig& config = kConfig,
                   const std::string& device_name = "cpu", const Shards& shards = {})
      : device(testing::exactly(device_name)),
        backend(tiny_backend(seed, device)),
        ppo(*backend, config, Streams(seed).named("minibatches"), shards),
        random(Streams(seed).named("play")),
        rollout(kSize, kTiny, device) {}

  const at::Tensor& weights() const { return backend->network().parameters().values(); }

  PpoStats update() {
    earned = play(*backend, random, rollout);
    return ppo.update(rollout);
  }

  at::Device device;  // configured for deterministic sums
  std::unique_ptr<Backend> backend;
  Ppo ppo;
  Random random;
  Rollout rollout;
  double earned = 0;
};

TEST(Ppo, LearnsTheRewardedActionOfEachObservation) {
  TinyRun run(1);
  run.update();
  EXPECT_LT(run.earned, 0.6);  // by chance 1/3, with a deviation of 0.04
  PpoStats stats;
  for (int u = 0; u < 30; ++u) stats = run.update();
  EXPECT_GT(run.earned, 0.95);         // eight seeds gave 0.98 and more
  EXPECT_LT(stats.mean.entropy, 0.5);  // of log 3 = 1.1 at first
}

TEST(Ppo, TheSameSeedGivesTheSameWeights) {
  for (const std::string& device : testing::devices()) {
    TinyRun a(3, kConfig, device);
    TinyRun b(3, kConfig, device);
    for (int u = 0; u < 3; ++u) {
      a.update();
      b.update();
    }
    EXPECT_TRUE(at::equal(a.weights(), b.weights())) << device;
  }
}

// One mini-batch of all samples is the same set for any number of shards.
TEST(Ppo, ShardsGiveTheGradientOfTheWholeMinibatch) {
  for (const std::string& device : testing::devices()) {
    for (const bool minibatch_advantages : {false, true}) {
      SCOPED_TRACE(device + (minibatch_advantages ? ", advantages by mini-batch" : ""));
      const PpoConfig config{.epochs = 3,
                             .num_minibatches = 1,
                             .minibatch_advantages = minibatch_advantages,
                             .adam = {.learning_rate = 7e-4}};
      TinyRun one(3, config, device);
      TinyRun four(3, config, device, {.count = 4, .first = 0, .own = 4});
      const at::Tensor before = one.weights().clone();
      const PpoStats a = one.update();
      const PpoStats b = four.update();
      const double change = (one.weights() - before).norm().item<double>();
      EXPECT_LT((one.weights() - four.weights()).norm().item<double>(), 1e-3 * change);
      EXPECT_FALSE(at::equal(one.weights(), four.weights())) << "another order of additions";
      for (std::size_t i = 0; i < a.minibatches.size(); ++i) {
        EXPECT_NEAR(a.minibatches[i].total, b.minibatches[i].total, 1e-5);
        EXPECT_NEAR(a.minibatches[i].grad_norm, b.minibatches[i].grad_norm, 1e-5);
        EXPECT_NEAR(a.minibatches[i].entropy, b.minibatches[i].entropy, 1e-5);
      }
    }
  }
}

TEST(Ppo, ResumesIdenticallyFromASavedState) {
  for (const std::string& device : testing::devices()) {
    SCOPED_TRACE(device);
    TinyRun whole(3, kConfig, device);
    whole.update();
    whole.update();
    std::vector<NamedTensor> saved;
    for (const NamedTensor& t : whole.ppo.state()) saved.push_back({t.name, t.tensor.clone()});
    const Random stream = whole.ppo.stream();
    const Random random = whole.random;
    whole.update();

    TinyRun resumed(4, kConfig, device);
    copy_by_name(saved, resumed.ppo.state());
    resumed.ppo.stream() = stream;
    resumed.random = random;
    resumed.update();
    const std::vector<NamedTensor> a = whole.ppo.state();
    const std::vector<NamedTensor> b = resumed.ppo.state();
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_TRUE(at::equal(a[i].tensor, b[i].tensor)) << a[i].name;
  }
}

using PpoCuda = testing::CudaTest;

TEST_F(PpoCuda, CudaGraphsGiveTheSameWeightsAsEagerSteps) {
  PpoConfig config = kConfig;
  config.epochs = 1;
  config.num_minibatches = 2;
  TinyRun graphs(3, config, "cuda");
  TinyRun eager(3, config, "cuda");
  // Every update is of another kind, and two steps of a kind are too few to be recorded.
  std::int64_t kind = 0;
  eager.ppo.set_hooks({.kind = [&] { return ++kind; }});
  for (int u = 0; u < 5; ++u) {
    for (TinyRun* run : {&graphs, &eager}) {
      run->ppo.set_learning_rate(0.01 / (u + 1));
      run->update();
    }
  }
  EXPECT_TRUE(at::equal(graphs.weights(), eager.weights()));
}

TEST(Ppo, TheFirstMinibatchHasARatioOfOne) {
  TinyRun run(1);
  const PpoLosses first = run.update().minibatches.at(0);
  EXPECT_NEAR(first.approx_kl, 0, 1e-6);
  EXPECT_EQ(first.clip_fraction, 0);
}

TEST(Ppo, UsesEverySampleOncePerEpochInANewPermutation) {
  TinyRun run(1);
  std::vector<float> seen;
  play(*run.backend, run.random, run.rollout);
  for (std::size_t i = 0; i < 128; ++i) run.rollout.returns.all()[i] = static_cast<float>(i);
  run.ppo.set_hooks({.transform = [&](Minibatch& m) {
    const at::Tensor row = m.returns.contiguous();
    const auto* x = row.data_ptr<float>();
    seen.insert(seen.end(), x, x + m.returns.numel());
  }});
  run.ppo.update(run.rollout);
  ASSERT_EQ(seen.size(), 2 * 128);
  EXPECT_EQ(std::set<float>(seen.begin(), seen.begin() + 128).size(), 128);
  EXPECT_EQ(std::set<float>(seen.begin() + 128, seen.end()).size(), 128);
  EXPECT_FALSE(std::equal(seen.begin(), seen.begin() + 128, seen.begin() + 128));
}

TEST(Ppo, NormalizesAdvantagesOverTheRolloutUnlessDisabled) {
  for (const bool normalize : {true, false}) {
    PpoConfig config = kConfig;
    config.num_minibatches = 1;
    config.epochs = 1;
    config.normalize_advantages = normalize;
    TinyRun run(1, config);
    play(*run.backend, run.random, run.rollout);
    for (std::size_t i = 0; i < 128; ++i) run.rollout.advantages.all()[i] = i % 2 == 0 ? 3 : 7;
    // Mean 5 and unbiased variance 4 * 128 / 127, so 3 becomes -2 / 2.00786 = -0.99608.
    run.ppo.set_hooks({.transform = [&](Minibatch& m) {
      EXPECT_NEAR(m.advantages.min().item<double>(), normalize ? -0.99608 : 3, 2e-5);
    }});
    EXPECT_NEAR(run.ppo.update(run.rollout).advantage_deviation, 2.00786, 1e-5);
  }
}

TEST(Ppo, HooksCanReplaceTheMinibatchAndAddToTheLoss) {
  TinyRun run(1);
  play(*run.backend, run.random, run.rollout);
  int transformed = 0;
  int added = 0;
  run.ppo.set_hooks({.transform =
                         [&](Minibatch& m) {
                           ++transformed;
                           m.obs = m.obs.to(at::kFloat) * 0.5;
                           m.returns = m.returns + 1;
                         },
                     .extra_loss =
                         [&](const Minibatch& m, const Output& output, const Output&) {
                           ++added;
                           EXPECT_EQ(m.obs.scalar_type(), at::kFloat);
                           EXPECT_EQ(output.logits.sizes(), at::IntArrayRef({32, 3}));
                           return 0 * output.value.mean() + 3;
                         }});
  const PpoStats stats = run.ppo.update(run.rollout);
  EXPECT_EQ(transformed, 8);
  EXPECT_EQ(added, 8);
  EXPECT_EQ(stats.mean.extra_loss, 3);
  EXPECT_NEAR(stats.mean.total,
              stats.mean.policy_loss + 0.5 * stats.mean.value_loss - 0.01 * stats.mean.entropy + 3,
              1e-5);
}

TEST(Ppo, HooksAreCalledBeforeEveryUpdateAndMinibatch) {
  TinyRun run(1);
  std::vector<std::string> calls;
  run.ppo.set_hooks({.begin =
                         [&](const Rollout& rollout, std::int64_t count, std::int64_t size) {
                           EXPECT_EQ(&rollout, &run.rollout);
                           EXPECT_EQ(count, 8);
                           EXPECT_EQ(size, 32);
                           calls.emplace_back("begin");
                         },
                     .prepare = [&](std::int64_t i) { calls.push_back(std::to_string(i)); },
                     .transform = [&](Minibatch&) { calls.emplace_back("learn"); }});
  run.update();
  ASSERT_EQ(calls.size(), 17);
  EXPECT_EQ(calls[0], "begin");
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(calls[1 + 2 * i], std::to_string(i));
    EXPECT_EQ(calls[2 + 2 * i], "learn");
  }
}

TEST(Ppo, MoreObservationsShareTheForwardPass) {
  TinyRun run(1);
  play(*run.backend, run.random, run.rollout);
  run.ppo.set_hooks({.more_obs = [](const Minibatch& m) { return m.obs.slice(0, 0, 5); },
                     .extra_loss =
                         [&](const Minibatch&, const Output& output, const Output& more) {
                           EXPECT_EQ(output.logits.size(0), 32);
                           EXPECT_EQ(more.value.sizes(), at::IntArrayRef({5}));
                           return (output.logits.slice(0, 0, 5) - more.logits).abs().max();
                         }});
  EXPECT_NEAR(run.ppo.update(run.rollout).mean.extra_loss, 0, 1e-6);
}

TEST(Ppo, ALossThatIsNotFiniteThrowsAndKeepsTheWeights) {
  TinyRun run(1);
  run.update();
  const at::Tensor before = run.weights().clone();
  play(*run.backend, run.random, run.rollout);
  run.rollout.rewards[0][0] = std::numeric_limits<float>::quiet_NaN();
  compute_advantages(run.rollout, 0.999, 0.95);
  try {
    run.ppo.update(run.rollout);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("update 2, mini-batch 1 of 8"), std::string::npos)
        << error.what();
  }
  EXPECT_TRUE(at::equal(run.weights(), before));
}

TEST(Ppo, NothingChangesAfterTheFirstMinibatchThatIsNotFinite) {
  TinyRun run(1);
  play(*run.backend, run.random, run.rollout);
  int count = 0;
  at::Tensor before;
  run.ppo.set_hooks({.transform = [&](Minibatch& m) {
    if (++count != 3) return;
    before = run.weights().clone();
    m.returns = m.returns * std::numeric_limits<float>::infinity();
  }});
  EXPECT_THROW(run.ppo.update(run.rollout), std::runtime_error);
  EXPECT_TRUE(at::equal(run.weights(), before));
}

TEST(Ppo, ExplainedVarianceIsOneForPerfectValuesAndZeroForAConstant) {
  TinyRun run(1);
  play(*run.backend, run.random, run.rollout);
  for (std::size_t i = 0; i < 128; ++i) {
    run.rollout.returns.all()[i] = run.rollout.values.all()[i] = static_cast<float>(i % 3);
  }
  EXPECT_NEAR(run.ppo.update(run.rollout).explained_variance, 1, 1e-9);
  for (std::size_t i = 0; i < 128; ++i) run.rollout.values.all()[i] = 1;
  EXPECT_NEAR(run.ppo.update(run.rollout).explained_variance, 0, 1e-9);
}

TEST(Ppo, NamesABadField) {
  const std::unique_ptr<Backend> backend = tiny_backend();
  const Random stream = Streams(1).named("minibatches");
  EXPECT_THROW(Ppo(*backend, {.epochs = 0}, stream), std::invalid_argument);
  EXPECT_THROW(Ppo(*backend, {.clip = 0}, stream), std::invalid_argument);
  EXPECT_THROW(Ppo(*backend, {.adam = {.learning_rate = 0}}, stream), std::invalid_argument);
  EXPECT_THROW(Ppo(*backend, {.adam = {.beta2 = 1}}, stream), std::invalid_argument);
  EXPECT_THROW(Ppo(*backend, {.adam = {.epsilon = 0}}, stream), std::invalid_argument);
  EXPECT_THROW(Ppo(*backend, {.adam = {.max_grad_norm = -1}}, stream), std::invalid_argument);
  Ppo ppo(*backend, {.num_minibatches = 129}, stream);
  EXPECT_THROW(ppo.update(Rollout(kSize, kTiny, at::kCPU)), std::invalid_argument);
}

}  // namespace
}  // namespace plr::learn
