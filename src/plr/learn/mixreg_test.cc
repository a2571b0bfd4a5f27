#include "plr/learn/mixreg.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/golden.h"

namespace plr::learn {
namespace {

using nlohmann::json;

Random stream(std::uint64_t seed = 1) { return Streams(seed).named("mixreg"); }

template <class T>
at::Tensor tensor(const json& numbers) {
  return at::tensor(numbers.get<std::vector<T>>());
}

// Flattened nested lists, [B, H, W, C].
at::Tensor images(const json& nested) {
  std::vector<float> numbers;
  for (const json& image : nested) {
    for (const json& row : image) {
      for (const json& pixel : row) {
        for (const json& x : pixel) numbers.push_back(x.get<float>());
      }
    }
  }
  const auto size = [](const json& list) { return static_cast<std::int64_t>(list.size()); };
  return at::tensor(numbers).view(
      {size(nested), size(nested[0]), size(nested[0][0]), size(nested[0][0][0])});
}

double distance(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(MixregGolden, MixesRecordedMinibatches) {
  for (const json& g : testing::golden_lines("mixreg/mixreg.jsonl.gz")) {
    SCOPED_TRACE(g.at("case"));
    std::vector<double> weights;
    std::vector<std::int64_t> dominant;
    std::vector<std::int64_t> other;
    for (std::size_t k = 0; k < g.at("lam_raw").size(); ++k) {
      const MixedPair pair = mixed_pair(g.at("lam_raw")[k], static_cast<std::int64_t>(k),
                                        g.at("perm")[k].get<std::int64_t>());
      ASSERT_NEAR(pair.weight, g.at("lam")[k].get<double>(), 1e-12);
      ASSERT_EQ(pair.dominant, g.at("dominant")[k].get<std::int64_t>());
      ASSERT_EQ(pair.other, g.at("other")[k].get<std::int64_t>());
      weights.push_back(pair.weight);
      dominant.push_back(pair.dominant);
      other.push_back(pair.other);
    }
    const MixedPairs pairs{at::tensor(weights).to(at::kFloat), at::tensor(dominant),
                           at::tensor(other)};
    const Minibatch plain{images(g.at("obs")).to(at::kByte), tensor<std::int64_t>(g.at("actions")),
                          tensor<float>(g.at("old_logp")),   tensor<float>(g.at("old_values")),
                          tensor<float>(g.at("advantages")), tensor<float>(g.at("returns"))};
    const Minibatch m = mixed(plain, pairs, /*normalize=*/false);
    EXPECT_LT(distance(m.obs, images(g.at("mixed_obs255"))), 255 * 1e-6);
    EXPECT_TRUE(at::equal(m.actions, tensor<std::int64_t>(g.at("mixed_actions"))));
    EXPECT_LT(distance(m.old_log_probs, tensor<float>(g.at("mixed_old_logp"))), 1e-5);
    EXPECT_LT(distance(m.old_values, tensor<float>(g.at("mixed_old_values"))), 1e-5);
    EXPECT_LT(distance(m.advantages, tensor<float>(g.at("mixed_advantages"))), 1e-5);
    EXPECT_LT(distance(m.returns, tensor<float>(g.at("mixed_returns"))), 1e-5);
    const Minibatch normalized = mixed(plain, pairs, /*normalize=*/true);
    EXPECT_LT(distance(normalized.advantages, tensor<float>(g.at("mb_norm_advantages"))), 1e-5);
  }
}

TEST(DrawBeta, HasTheMomentsOfTheDistribution) {
  // Mean 1/2 and variance 1 / (4 (2 alpha + 1)); of 100,000 draws the mean deviates by at most
  // 0.5 / sqrt(1e5) = 0.0016 and the mean of (x - 1/2)^2, a number of 0..1/4, by less than half of
  // that.
  for (const double alpha : {0.001, 0.01, 0.2, 1.0}) {
    Random random = stream();
    double mean = 0;
    double variance = 0;
    const int draws = 100'000;
    for (int i = 0; i < draws; ++i) {
      const double x = draw_beta(alpha, random);
      ASSERT_TRUE(x >= 0 && x <= 1);
      mean += x / draws;
      variance += (x - 0.5) * (x - 0.5) / draws;
    }
    EXPECT_NEAR(mean, 0.5, 5 * 0.0016) << alpha;
    EXPECT_NEAR(variance, 0.25 / (2 * alpha + 1), 5 * 0.0008) << alpha;
  }
}

TEST(DrawBeta, ASmallAlphaMixesFewSamples) {
  // P(0.01 < x < 0.99) for Beta(0.01, 0.01) is about 0.01/2 * 2 ln 99 = 0.046, less a little.
  Random random = stream();
  int mixed = 0;
  const int draws = 100'000;
  for (int i = 0; i < draws; ++i) {
    const double x = draw_beta(0.01, random);
    if (x > 0.01 && x < 0.99) ++mixed;
  }
  EXPECT_NEAR(static_cast<double>(mixed) / draws, 0.044, 5 * 0.00065 + 0.001);
}

// A mini-batch in which every number identifies its sample.
Minibatch telling(std::int64_t size) {
  const at::Tensor number = at::arange(size).to(at::kFloat);
  return {
      number.view({-1, 1, 1, 1}).to(at::kByte), at::arange(size), number, number, number, number};
}

TEST(Mixreg, MixesEachSampleWithAPartnerAndKeepsTheActionOfTheLargerPart) {
  Mixreg mixreg({.alpha = 1}, at::kCPU, stream());
  mixreg.begin(3, 100);
  for (int i = 0; i < 3; ++i) {
    mixreg.prepare(i);
    Minibatch m = telling(100);
    mixreg.transform(m);
    // The mixture of k and a partner, both at most 99: never further from the action's sample than
    // half of the way.
    EXPECT_TRUE(at::equal(m.returns, m.advantages));
    EXPECT_LE((m.returns - m.actions).abs().max().item<double>(), 49.5);
    EXPECT_LT(distance(m.obs.flatten(), m.returns), 1e-4);
    // Of a permutation, each sample is the sum of its parts twice over: the mean stays near.
    EXPECT_NEAR(m.returns.mean().item<double>(), 49.5, 12);
  }
}

TEST(Mixreg, MixesEachMinibatchDifferentlyAndRepeatsWithItsStream) {
  const auto all = [](std::uint64_t seed) {
    Mixreg mixreg({.alpha = 0.5}, at::kCPU, stream(seed));
    std::vector<at::Tensor> mixtures;
    for (int update = 0; update < 2; ++update) {
      mixreg.begin(2, 50);
      for (int i = 0; i < 2; ++i) {
        mixreg.prepare(i);
        Minibatch m = telling(50);
        mixreg.transform(m);
        mixtures.push_back(m.returns.clone());
      }
    }
    return mixtures;
  };
  const auto a = all(1);
  const auto b = all(1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(at::equal(a[i], b[i]));
    for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(at::equal(a[i], a[k]));
  }
  EXPECT_FALSE(at::equal(a[0], all(2)[0]));
}

TEST(Mixreg, RefusesAnInvalidAlpha) {
  EXPECT_THROW(Mixreg({.alpha = 0}, at::kCPU, stream()), std::invalid_argument);
  EXPECT_THROW(Mixreg({.alpha = 1.5}, at::kCPU, stream()), std::invalid_argument);
}

}  // namespace
}  // namespace plr::learn
