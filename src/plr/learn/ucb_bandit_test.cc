#include "plr/learn/ucb_bandit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/support/golden.h"
#include "tests/support/saved_state.h"

namespace plr::learn {
namespace {

TEST(UcbBandit, TakesTheHighestBoundByHand) {
  UcbBandit bandit(2, {.exploration = 1, .window = 2});
  EXPECT_EQ(bandit.choose(), 0U);  // both bounds are 0, and the first wins
  bandit.credit(0.5);
  // n = 2, N = 2 and 1: 0.5 + sqrt(ln 2 / 2) = 1.0887 against 0 + sqrt(ln 2) = 0.8326.
  EXPECT_NEAR(bandit.bound(0), 1.08870501, 1e-8);
  EXPECT_NEAR(bandit.bound(1), 0.83255461, 1e-8);
  EXPECT_EQ(bandit.choose(), 0U);
  bandit.credit(-0.5);
  // n = 3, N = 3 and 1: 0 + sqrt(ln 3 / 3) = 0.6051 against sqrt(ln 3) = 1.0481.
  EXPECT_EQ(bandit.choose(), 1U);
}

TEST(UcbBandit, ForgetsRewardsThatLeaveTheWindow) {
  UcbBandit bandit(1, {.window = 2});
  for (const double reward : {100.0, 1.0, 2.0}) {
    bandit.choose();
    bandit.credit(reward);
  }
  EXPECT_EQ(bandit.mean(0), 1.5);
  EXPECT_EQ(bandit.tries(0), 4);  // with the one that it begins with
}

TEST(UcbBandit, NeverTriesOthersWhileTheFirstEarnsMoreThanTheirBound) {
  // 0.1 sqrt(ln 1525) = 0.27 after a whole run of Procgen: a return of 0.3 keeps the first arm.
  UcbBandit bandit(8, {});
  for (int i = 0; i < 1525; ++i) {
    ASSERT_EQ(bandit.choose(), 0U);
    bandit.credit(0.3);
  }
}

TEST(UcbBandit, TriesEveryArmOnceIfAskedTo) {
  UcbBandit bandit(8, {.each_arm_once = true});
  std::set<std::size_t> tried;
  for (int i = 0; i < 8; ++i) {
    tried.insert(bandit.choose());
    bandit.credit(i == 5 ? 1.0 : 0.3);
  }
  EXPECT_EQ(tried.size(), 8U);
  EXPECT_EQ(bandit.choose(), 5U);
}

TEST(UcbBandit, CreditsAChoiceOnce) {
  UcbBandit bandit(2, {});
  bandit.choose();
  bandit.credit(5);
  bandit.credit(7);
  EXPECT_EQ(bandit.tries(0), 2);
  EXPECT_EQ(bandit.mean(0), 5);
}

TEST(UcbBandit, CreditsNobodyBeforeTheFirstChoice) {
  UcbBandit bandit(2, {});
  bandit.credit(5);
  EXPECT_EQ(bandit.tries(0), 1);
  EXPECT_EQ(bandit.mean(0), 0);
}

TEST(UcbBandit, RefusesWrongSettings) {
  EXPECT_THROW(UcbBandit(0, {}), std::invalid_argument);
  EXPECT_THROW(UcbBandit(2, {.window = 0}), std::invalid_argument);
}

TEST(UcbBandit, ChoosesAsInGoldenRuns) {
  for (const auto& run : testing::golden_lines("drac/ucb.jsonl.gz")) {
    SCOPED_TRACE(run.at("case"));
    const UcbConfig config{.exploration = run.at("c"), .window = run.at("K")};
    UcbBandit bandit(run.at("steps")[0].at("N").size(), config);
    for (const auto& step : run.at("steps")) {
      if (!step.at("g").is_null()) bandit.credit(step.at("g"));
      for (std::size_t arm = 0; arm < step.at("N").size(); ++arm) {
        ASSERT_EQ(bandit.tries(arm), step.at("N")[arm].get<std::int64_t>());
        ASSERT_NEAR(bandit.mean(arm), step.at("Q")[arm].get<double>(), 1e-12);
        ASSERT_NEAR(bandit.bound(arm), step.at("index")[arm].get<double>(), 1e-12);
      }
      ASSERT_EQ(bandit.choose(), step.at("arm").get<std::size_t>());
    }
  }
}

// Chooses and credits; returns what was chosen.
std::vector<std::size_t> try_arms(UcbBandit& bandit, int times) {
  std::vector<std::size_t> arms;
  for (int i = 0; i < times; ++i) {
    bandit.credit(std::sin(i));
    arms.push_back(bandit.choose());
  }
  return arms;
}

TEST(UcbBandit, ContinuesIdenticallyAfterLoad) {
  UcbBandit original(4, {.exploration = 1, .window = 3});
  UcbBandit other(4, {.exploration = 1, .window = 3});
  try_arms(original, 50);
  other.load(original.save());
  EXPECT_EQ(try_arms(original, 50), try_arms(other, 50));
  EXPECT_EQ(original.save(), other.save());
}

TEST(UcbBandit, RefusesDamagedState) {
  UcbBandit bandit(4, {.window = 3});
  try_arms(bandit, 20);
  const testing::SavedObject object = testing::saved_object("bandit", bandit);
  testing::expect_damage_is_refused(object);
  testing::expect_forgery_is_harmless(object);
}

}  // namespace
}  // namespace plr::learn
