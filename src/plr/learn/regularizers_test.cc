#include "plr/learn/regularizers.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "plr/learn/grid_cnn_network.h"

namespace plr::learn {
namespace {

const NetworkShape kShape{16, 16, 3, 4};
constexpr PpoConfig kConfig{.epochs = 2, .num_minibatches = 2};
constexpr DracConfig kCrop{.enabled = true, .augmentation = Augmentation::kCrop};

// A rollout of noise.
Rollout noise(std::uint64_t seed) {
  Random random = Streams(seed).named("noise");
  Rollout rollout({4, 6}, kShape, at::kCPU);
  std::vector<std::uint8_t> obs(6 * 16 * 16 * 3);
  for (std::size_t t = 0; t <= 4; ++t) {
    for (std::uint8_t& x : obs) x = static_cast<std::uint8_t>(random.below(11));
    rollout.set_obs(t, obs);
  }
  for (std::int32_t& a : rollout.actions.all()) a = static_cast<std::int32_t>(random.below(4));
  for (float& x : rollout.log_probs.all()) x = -1.386F;
  for (float& x : rollout.values.all()) x = static_cast<float>(random.uniform());
  for (float& x : rollout.rewards.all()) x = static_cast<float>(random.uniform());
  compute_advantages(rollout, 0.999, 0.95);
  return rollout;
}

struct TinyRun {
  TinyRun(const MixregConfig& mixreg, const DracConfig& drac, std::uint64_t seed = 1)
      : device(configure({})),
        backend(make_backend(
            make_grid_cnn_network(kShape, {}, Streams(1).named("init"), Precision::kFp32, device))),
        regularizers(mixreg, drac, kShape, device, Streams(seed)),
        ppo(*backend, kConfig, Streams(1).named("minibatches")) {
    ppo.set_hooks(regularizers.hooks());
  }

  at::Tensor weights() const { return backend->network().parameters().values(); }

  at::Device device;
  std::unique_ptr<Backend> backend;
  Regularizers regularizers;
  Ppo ppo;
};

at::Tensor weights_after(const MixregConfig& mixreg, const DracConfig& drac,
                         std::uint64_t seed = 1) {
  TinyRun run(mixreg, drac, seed);
  run.ppo.update(noise(1));
  return run.weights().clone();
}

TEST(Regularizers, EachMethodAndTheirCombinationChangeTheUpdate) {
  const at::Tensor plain = weights_after({}, {});
  const at::Tensor mixed = weights_after({.alpha = 0.5}, {});
  const at::Tensor regularized = weights_after({}, kCrop);
  const at::Tensor both = weights_after({.alpha = 0.5}, kCrop);
  EXPECT_FALSE(at::equal(plain, mixed));
  EXPECT_FALSE(at::equal(plain, regularized));
  EXPECT_FALSE(at::equal(mixed, both));
  EXPECT_FALSE(at::equal(regularized, both));
}

TEST(Regularizers, DependOnTheSeed) {
  EXPECT_FALSE(
      at::equal(weights_after({.alpha = 0.5}, {}, 1), weights_after({.alpha = 0.5}, {}, 2)));
  EXPECT_FALSE(at::equal(weights_after({}, kCrop, 1), weights_after({}, kCrop, 2)));
}

TEST(Regularizers, WithWeightZeroLeaveTheUpdateUnchanged) {
  // Augmented samples share the forward pass and must not affect the others.  Sums of
  // another batch may round differently.
  DracConfig none = kCrop;
  none.coef = 0;
  EXPECT_LT((weights_after({}, none) - weights_after({}, {})).abs().max().item<double>(), 1e-5);
}

TEST(Regularizers, OneForwardPassEqualsTwo) {
  TinyRun once({}, kCrop);
  TinyRun twice({}, kCrop);
  // The same loss from a separate forward pass.
  PpoHooks hooks = twice.regularizers.hooks();
  hooks.more_obs = {};
  hooks.extra_loss = [&](const Minibatch& m, const Output& output, const Output&) {
    const Drac& drac = *twice.regularizers.drac();
    return drac.loss(output, twice.backend->network().forward(drac.augmented(m)));
  };
  twice.ppo.set_hooks(hooks);
  const PpoStats a = once.ppo.update(noise(1));
  const PpoStats b = twice.ppo.update(noise(1));
  EXPECT_GT(a.mean.extra_loss, 0);
  EXPECT_NEAR(a.mean.extra_loss, b.mean.extra_loss, 1e-5);
  EXPECT_NEAR(a.minibatches[0].grad_norm, b.minibatches[0].grad_norm, 1e-4);
  EXPECT_LT((once.weights() - twice.weights()).abs().max().item<double>(), 1e-5);
}

TEST(Regularizers, ContinueIdenticallyAfterLoad) {
  const MixregConfig mixreg{.alpha = 0.5};
  const DracConfig drac{.enabled = true, .ucb = {.each_arm_once = true}};
  TinyRun whole(mixreg, drac);
  TinyRun resumed(mixreg, drac, /*seed=*/2);
  for (std::uint64_t i = 0; i < 3; ++i) whole.ppo.update(noise(i));
  resumed.regularizers.load(whole.regularizers.save());
  resumed.ppo.stream() = whole.ppo.stream();
  copy_by_name(
      [&] {
        std::vector<NamedTensor> copy;
        for (const NamedTensor& t : whole.ppo.state()) copy.push_back({t.name, t.tensor.clone()});
        return copy;
      }(),
      resumed.ppo.state());
  for (std::uint64_t i = 3; i < 6; ++i) {
    whole.ppo.update(noise(i));
    resumed.ppo.update(noise(i));
  }
  EXPECT_TRUE(at::equal(whole.weights(), resumed.weights()));
  EXPECT_EQ(whole.regularizers.save(), resumed.regularizers.save());
}

TEST(Regularizers, RefuseTheStateOfOtherSettings) {
  TinyRun both({.alpha = 0.5}, kCrop);
  TinyRun mixreg({.alpha = 0.5}, {});
  TinyRun none({}, {});
  EXPECT_THROW(mixreg.regularizers.load(both.regularizers.save()), std::runtime_error);
  EXPECT_THROW(none.regularizers.load(mixreg.regularizers.save()), std::runtime_error);
  EXPECT_NO_THROW(none.regularizers.load(none.regularizers.save()));
}

}  // namespace
}  // namespace plr::learn
