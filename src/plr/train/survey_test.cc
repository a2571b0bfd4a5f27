#include "plr/train/survey.h"

#include <gtest/gtest.h>

#include "plr/base/files.h"
#include "plr/catalog/make_env.h"
#include "plr/train/scripted_network_testing.h"
#include "tests/support/temporary_directory.h"

namespace plr::train {
namespace {

constexpr std::int64_t kLeft = 0;
constexpr std::int64_t kForward = 2;
constexpr int kMaxSteps = 4;

class SurveyTest : public ::testing::Test {
 protected:
  // Level 0: the goal is three moves ahead. Level 1: behind the agent, where it is never seen by an
  // agent that goes forward.
  std::unique_ptr<VectorEnv> make_env(int num_slots) const {
    const std::filesystem::path file = folder_ / "two.txt";
    write_text(file, ">..G.\n.....\n\n.G..>\n.....\n");
    return catalog::make_env("maze/file:" + file.string(),
                             {.num_slots = num_slots, .maze = {.max_steps = kMaxSteps}});
  }

  static Random stream() { return Streams(1).named("survey"); }

  TemporaryDirectory folder_;
};

// The reward of reaching the goal with the third action, as a float.
constexpr double kReward = 1.0F - 0.9F * 3 / kMaxSteps;

TEST_F(SurveyTest, CountsTheEpisodesThatEndWithinTheSteps) {
  const auto env = make_env(2);
  learn::TorchBackend backend = with_actions(env->spec(), {kForward});
  // Of 11 steps, level 0 takes 3 per episode and level 1 the limit of 4: the fourth episode of
  // level 0 and the third of level 1 do not end.
  const auto levels = survey(*env, backend, std::vector<LevelId>{0, 1}, 11, stream());
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].level, 0U);
  EXPECT_EQ(levels[0].episodes, 3);
  EXPECT_EQ(levels[0].successes, 3);
  EXPECT_NEAR(levels[0].return_sum, 3 * kReward, 1e-6);
  EXPECT_EQ(levels[1], (SurveyedLevel{.level = 1, .episodes = 2}));
  EXPECT_EQ(levels[1].success_rate(), 0);
}

TEST_F(SurveyTest, ZeroesTheStateOfTheNetworkAtEveryStart) {
  const auto env = make_env(1);
  // After three actions the agent turns: an episode with the state of the one before would fail,
  // and so would the second batch with the state of the first.
  learn::TorchBackend backend =
      with_actions(env->spec(), {kForward, kForward, kForward, kLeft, kLeft});
  const auto levels = survey(*env, backend, std::vector<LevelId>{0, 0}, 10, stream());
  ASSERT_EQ(levels.size(), 2U);
  for (const SurveyedLevel& level : levels) {
    EXPECT_EQ(level.episodes, 3);
    EXPECT_EQ(level.successes, 3);
  }
}

TEST_F(SurveyTest, PlaysMoreLevelsThanSlotsInBatches) {
  const auto env = make_env(2);
  learn::TorchBackend backend = with_actions(env->spec(), {kForward});
  // Five levels in batches of 2, 2 and 1.
  const std::vector<LevelId> asked = {0, 1, 1, 0, 2};  // level 2 is level 0 again
  const auto levels = survey(*env, backend, asked, 8, stream());
  ASSERT_EQ(levels.size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(levels[i].level, asked[i]);
    EXPECT_EQ(levels[i].episodes, 2);
    EXPECT_EQ(levels[i].successes, asked[i] % 2 == 0 ? 2 : 0);
  }
}

TEST_F(SurveyTest, RepeatsForEqualStreamsOnly) {
  const auto env = catalog::make_env("maze/random-25", {.num_slots = 8});
  learn::TorchBackend backend = with_probabilities(env->spec(), {0.25, 0.25, 0.5, 0, 0, 0, 0});
  std::vector<LevelId> asked(20);
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i] = i;
  const auto levels = survey(*env, backend, asked, 100, stream());
  EXPECT_EQ(levels, survey(*env, backend, asked, 100, stream()));
  EXPECT_NE(levels, survey(*env, backend, asked, 100, Streams(2).named("survey")));
}

TEST_F(SurveyTest, ReturnsNothingWhenStopped) {
  const auto env = make_env(1);
  learn::TorchBackend backend = with_actions(env->spec(), {kForward});
  int num_steps = 0;
  const auto stop = [&] { return ++num_steps == 13; };  // in the second batch
  EXPECT_TRUE(survey(*env, backend, std::vector<LevelId>{0, 1}, 10, stream(), stop).empty());
  EXPECT_EQ(num_steps, 13);
}

}  // namespace
}  // namespace plr::train
