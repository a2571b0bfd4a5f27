#include "plr/train/cvar.h"

#include <gtest/gtest.h>

#include "plr/base/files.h"
#include "plr/catalog/make_env.h"
#include "plr/train/scripted_network_testing.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr::train {
namespace {

TEST(SolvableLevels, AreTheFirstSeedsWithASolution) {
  const std::vector<LevelId> levels = solvable_levels("maze/random-60", {}, 100);
  ASSERT_EQ(levels.size(), 100U);
  const auto env = catalog::make_env("maze/random-60", {.num_slots = 1});
  const int no_solution = env->spec().num_difficulties - 1;
  std::vector<LevelId> expected;
  for (LevelId level = 0; level <= levels.back(); ++level) {
    if (env->difficulty(level) != no_solution) expected.push_back(level);
  }
  EXPECT_EQ(levels, expected);
  EXPECT_GT(levels.back(), 99U);  // 15 % of the levels have no solution
}

TEST(SolvableLevels, ExistOnlyWhereASearchFindsThem) {
  EXPECT_EQ(invalid_argument_of([] { solvable_levels("minigrid/MiniGrid-Empty-8x8-v0", {}, 1); }),
            "env must be one whose levels can be solved by search, such as maze/random-60, not "
            "minigrid/MiniGrid-Empty-8x8-v0");
  const TemporaryDirectory folder;
  write_text(folder / "none.txt", ">#G\n");
  const std::string name = "maze/file:" + (folder / "none.txt").string();
  EXPECT_EQ(invalid_argument_of([&] { solvable_levels(name, {}, 2); }),
            "env must have solvable levels: of the first 2000 levels of " + name + " only 0 are");
}

// Level 0: the goal is four moves ahead; level 1: one move ahead. Half of the actions are moves,
// the others have no effect.
class PlayTwiceTest : public ::testing::Test {
 protected:
  PlayTwiceTest() {
    write_text(folder_ / "two.txt", ">...G\n\n>G...\n");
    env_ = catalog::make_env("maze/file:" + (folder_ / "two.txt").string(),
                             {.num_slots = 8, .maze = {.max_steps = 6}});
  }

  std::vector<run::CvarRow> play(const EvaluationWatch& watch) {
    learn::TorchBackend backend = with_probabilities(env_->spec(), {0, 0, 0.5, 0.5, 0, 0, 0});
    return play_twice(*env_, backend, std::vector<LevelId>{0, 1}, watch, Streams(2));
  }

  TemporaryDirectory folder_;
  std::unique_ptr<VectorEnv> env_;
};

TEST_F(PlayTwiceTest, SumsTheCopiesOfALevelInBothEvaluations) {
  double last = -1;
  const auto rows = play({.progressed = [&](double fraction) {
    EXPECT_GT(fraction, last);
    EXPECT_LT(fraction, 1);
    last = fraction;
  }});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].level, 0U);
  EXPECT_EQ(rows[1].level, 1U);
  // Of ten copies with six steps each: an episode of level 0 takes four to six steps and succeeds
  // with probability 22/64; one of level 1 takes two steps on average.
  EXPECT_EQ(rows[0].episodes_a, 10);
  EXPECT_EQ(rows[0].episodes_b, 10);
  EXPECT_LT(rows[0].successes_a, 10);
  EXPECT_GT(rows[1].successes_a, 10);
  EXPECT_GT(rows[1].successes_b, 10);
  EXPECT_NE(rows[1].successes_a, rows[1].successes_b);  // other random numbers; of this seed
  // 20 copies in 8 slots are 3 batches of 6 steps, twice.
  EXPECT_NEAR(last, 35.0 / 36, 1e-12);
}

TEST_F(PlayTwiceTest, ReturnsNothingWhenStopped) {
  int num_steps = 0;
  EXPECT_TRUE(play({.should_stop = [&] { return ++num_steps == 20; }}).empty());
  EXPECT_EQ(num_steps, 20);
}

}  // namespace
}  // namespace plr::train
