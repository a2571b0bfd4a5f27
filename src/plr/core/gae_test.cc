#include "plr/core/gae.h"

#include <gtest/gtest.h>

#include <vector>

#include "plr/core/episode_scorer.h"
#include "plr/core/reward_normalizer.h"
#include "tests/support/golden.h"

namespace plr {
namespace {

using nlohmann::json;
using testing::golden_lines;

template <class Real>
std::vector<Real> flat(const json& rows, bool is_float32) {
  std::vector<Real> values;
  for (const json& row : rows) {
    for (const json& value : row) {
      values.push_back(is_float32 ? static_cast<Real>(value.get<float>()) : value.get<Real>());
    }
  }
  return values;
}

// done[t][n] = (masks[t + 1][n] == 0)
std::vector<std::uint8_t> done_of(const json& masks) {
  std::vector<std::uint8_t> done;
  for (std::size_t t = 1; t < masks.size(); ++t) {
    for (const json& mask : masks[t]) done.push_back(mask.get<double>() == 0 ? 1 : 0);
  }
  return done;
}

template <class Real>
std::vector<Real> advantages_of(const json& c, bool is_float32) {
  const auto rewards = flat<Real>(c.at("rewards"), is_float32);
  const auto values = flat<Real>(c.at("values"), is_float32);
  std::vector<Real> advantages(rewards.size());
  compute_gae<Real>(rewards, values, done_of(c.at("masks")), c.at("N"), c.at("gamma"), c.at("lam"),
                    advantages);
  return advantages;
}

TEST(Gae, EqualsHandComputedValues) {
  // gamma .999, lambda .95, terminal: A = (0.4638494, 0.384015, 0.3)
  const std::vector<double> rewards = {0, 0, 1};
  const std::vector<double> values = {.5, .6, .7, .8};
  const std::vector<std::uint8_t> done = {0, 0, 1};
  std::vector<double> advantages(3);
  compute_gae<double>(rewards, values, done, 1, .999, .95, advantages);
  EXPECT_NEAR(advantages[0], 0.4638494, 1e-7);
  EXPECT_NEAR(advantages[1], 0.384015, 1e-7);
  EXPECT_NEAR(advantages[2], 0.3, 1e-12);
}

TEST(Gae, EqualsTheGoldenAdvantages) {
  for (const json& c : golden_lines("gae/gae_cases.jsonl.gz")) {
    SCOPED_TRACE(c.at("case").get<std::string>());
    const bool is_float32 = c.at("input_type") == "f32";
    const std::vector<double> values = flat<double>(c.at("values"), is_float32);
    const std::vector<double> found = advantages_of<double>(c, is_float32);
    const std::vector<double> expected = flat<double>(c.at("adv"), false);
    const std::vector<double> returns = flat<double>(c.at("ret"), false);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], expected[i], 1e-12);
      ASSERT_NEAR(found[i] + values[i], returns[i], 1e-12);
    }
  }
}

TEST(Gae, EqualsTheGoldenAdvantagesInFloat) {
  int cases = 0;
  for (const json& c : golden_lines("gae/gae_cases.jsonl.gz")) {
    if (c.at("adv_f32").is_null()) continue;  // recorded for float inputs only
    ++cases;
    SCOPED_TRACE(c.at("case").get<std::string>());
    const std::vector<float> values = flat<float>(c.at("values"), true);
    const std::vector<float> found = advantages_of<float>(c, true);
    const std::vector<double> expected = flat<double>(c.at("adv_f32"), false);
    const std::vector<double> returns = flat<double>(c.at("ret_f32"), false);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], expected[i], 1e-5);
      ASSERT_NEAR(found[i] + values[i], returns[i], 1e-5);
    }
  }
  EXPECT_GT(cases, 0);
}

// The scores of every segment; each rollout commits its open episodes.
TEST(EpisodeScorer, EqualsTheGoldenSegmentScores) {
  for (const json& c : golden_lines("gae/gae_cases.jsonl.gz")) {
    SCOPED_TRACE(c.at("case").get<std::string>());
    const bool is_float32 = c.at("input_type") == "f32";
    const std::size_t num_slots = c.at("N");
    const auto rewards = flat<double>(c.at("rewards"), is_float32);
    const auto values = flat<double>(c.at("values"), is_float32);
    const std::vector<std::uint8_t> done = done_of(c.at("masks"));
    for (const auto& [function, name] :
         {std::pair{ScoreFunction::kValueL1, "value_l1"}, std::pair{ScoreFunction::kGae, "gae"},
          std::pair{ScoreFunction::kOneStepTdError, "td"}}) {
      for (const json& segment : c.at("segments")) {
        const std::size_t slot = segment.at("actor");
        EpisodeScorer scorer({.score_function = function,
                              .gamma = c.at("gamma"),
                              .gae_lambda = c.at("lam"),
                              .open_episodes = OpenEpisodes::kCommit},
                             1, c.at("T").get<std::size_t>());
        scorer.begin(0, 0);
        const std::size_t end = segment.at("end");
        for (std::size_t t = segment.at("start"); t < end; ++t) {
          scorer.step(0, rewards[t * num_slots + slot], values[t * num_slots + slot], 0);
        }
        const bool is_terminal = segment.at("terminal");
        ASSERT_EQ(is_terminal, done[(end - 1) * num_slots + slot] != 0);
        const auto bootstrap = static_cast<float>(values[end * num_slots + slot]);
        if (is_terminal) scorer.end(0, 0);
        scorer.end_rollout(std::span(&bootstrap, 1));
        int results = 0;
        scorer.drain([&](const EpisodeResult& result) {
          // The bootstrap value is a float.
          const bool is_exact = is_terminal || is_float32;
          EXPECT_NEAR(result.score, segment.at(name).get<double>(), is_exact ? 1e-12 : 1e-7);
          ++results;
        });
        ASSERT_EQ(results, 1);
      }
    }
  }
}

TEST(RewardNormalizer, EqualsTheGoldenRewards) {
  for (const json& c : golden_lines("gae/return_normaliser.jsonl.gz")) {
    SCOPED_TRACE(c.at("case").get<std::string>());
    RewardNormalizer normalizer(
        {.return_gamma = c.at("gamma"), .reward_clip = c.at("clip"), .return_epsilon = c.at("eps")},
        c.at("N").get<std::size_t>());
    for (std::size_t t = 0; t < c.at("rewards").size(); ++t) {
      const auto rewards = c.at("rewards")[t].get<std::vector<double>>();
      std::vector<std::uint8_t> done;
      for (const json& d : c.at("dones")[t]) done.push_back(d.get<double>() != 0 ? 1 : 0);
      std::vector<float> out(rewards.size());
      normalizer.normalize(rewards, done, out);
      for (std::size_t i = 0; i < out.size(); ++i) {
        ASSERT_NEAR(out[i], c.at("normalised")[t][i].get<double>(), 1e-6);
      }
      ASSERT_NEAR(normalizer.variance(), c.at("var")[t].get<double>(), 1e-12);
      ASSERT_NEAR(normalizer.mean(), c.at("mean")[t].get<double>(), 1e-12);
    }
  }
}

TEST(RewardNormalizer, LeavesRewardsAsTheyAreIfDisabled) {
  RewardNormalizer normalizer({.normalize_rewards = false}, 2);
  std::vector<float> out(2);
  normalizer.normalize(std::vector<double>{100, -0.5}, std::vector<std::uint8_t>{0, 1}, out);
  EXPECT_EQ(out, (std::vector<float>{100, -0.5}));
}

TEST(RewardNormalizer, ContinuesIdenticallyAfterLoad) {
  RewardNormalizer a({}, 2);
  std::vector<float> out(2);
  a.normalize(std::vector<double>{1, 0}, std::vector<std::uint8_t>{0, 0}, out);
  RewardNormalizer b({}, 2);
  b.load(a.save());
  std::vector<float> out_b(2);
  a.normalize(std::vector<double>{0, 2}, std::vector<std::uint8_t>{1, 0}, out);
  b.normalize(std::vector<double>{0, 2}, std::vector<std::uint8_t>{1, 0}, out_b);
  EXPECT_EQ(out, out_b);
  EXPECT_EQ(a.save(), b.save());
}

}  // namespace
}  // namespace plr
