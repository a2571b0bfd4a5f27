#include "plr/train/test_env.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "plr/base/files.h"
#include "plr/catalog/make_env.h"
#include "plr/train/training_levels.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr::train {
namespace {

std::unique_ptr<VectorEnv> test_env_of(const std::string& env, const std::string& test_env,
                                       Observation observation = Observation::kDefault) {
  TrainConfig config;
  config.task.env = env;
  config.task.test_env = test_env;
  config.env.observation = observation;
  const RankShare share(distributed::World::alone(), config);
  return make_test_env(config, share, catalog::make_env(env, config.env)->spec());
}

TEST(TestEnv, IsThatOfTrainingUnlessAnotherIsNamed) {
  EXPECT_EQ(test_env_of("maze/random-25", ""), nullptr);
  EXPECT_EQ(test_env_of("maze/random-25", "maze/random-25"), nullptr);
  EXPECT_EQ(test_env_of("maze/random-25", "maze/JaxUED-8")->spec().name, "maze/JaxUED-8");
  EXPECT_EQ(test_env_of("maze/random-25", "maze/PerfectMaze-19")->spec().name,
            "maze/PerfectMaze-19");
}

TEST(TestEnv, MustHaveTheInterfaceOfTraining) {
  EXPECT_EQ(invalid_argument_of(
                [] { test_env_of("maze/random-25", "maze/LargeCorridor", Observation::kFull); }),
            "test_env must have 13x13x3 observations and 7 actions, as maze/random-25 has, but "
            "maze/LargeCorridor has 19x19x3 observations and 7 actions");
  EXPECT_EQ(
      invalid_argument_of([] { test_env_of("maze/random-25", "minigrid/MiniGrid-Empty-8x8-v0"); }),
      "test_env must have 5x5x4 observations and 7 actions, as maze/random-25 has, but "
      "minigrid/MiniGrid-Empty-8x8-v0 has 8x8x3 observations and 7 actions");
}

TEST(TestEnv, HasNoLevelThatIsTrainedOn) {
  EXPECT_EQ(invalid_argument_of([] { test_env_of("maze/JaxUED-8", "maze/JaxUED-8"); }),
            "test_env must not be maze/JaxUED-8, whose levels are trained on; name another "
            "environment");
}

TEST(TestEnv, HasAnAbsolutePath) {
  TaskConfig task;
  task.env = "maze/file:a.txt";
  make_env_names_absolute(task);
  EXPECT_EQ(task.env, "maze/file:" + (std::filesystem::current_path() / "a.txt").string());
  EXPECT_EQ(task.test_env, "");
  task.test_env = "maze/file:b.txt";
  make_env_names_absolute(task);
  EXPECT_EQ(task.test_env, "maze/file:" + (std::filesystem::current_path() / "b.txt").string());
}

TEST(EvaluationLevels, ContainEveryFixedLevelEquallyOften) {
  Random random = Streams(1).named("levels");
  const auto eight = catalog::make_env("maze/JaxUED-8");
  const std::vector<LevelId> levels = evaluation_levels(eight->spec(), 24, random);
  for (std::size_t i = 0; i < levels.size(); ++i) EXPECT_EQ(levels[i], i % 8);
  const auto drawn = catalog::make_env("maze/PerfectMaze-13");
  EXPECT_GT(evaluation_levels(drawn->spec(), 24, random)[0], 8U);  // of 10^12
}

TEST(ByLevel, CountsTheEpisodesOfEachLevelThatWasPlayed) {
  const TemporaryDirectory folder;
  write_text(folder / "three.txt", "name: ahead\n>G\n\n>.G\n\nname: unplayed\n>..G\n");
  const auto env = catalog::make_env("maze/file:" + (folder / "three.txt").string());
  // Level 3 is level 0 again. Its returns are 0 and 0.5.
  const Evaluation evaluation{{{.level = 0, .episode_return = 0},
                               {.level = 1, .episode_return = 1, .is_solved = true},
                               {.level = 3, .episode_return = 0.5, .is_solved = true}}};
  const std::vector<run::TestLevel> levels = by_level(*env, evaluation);
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].name, "ahead");
  EXPECT_EQ(levels[0].episodes, 2);
  EXPECT_EQ(levels[0].solved, 1);
  EXPECT_EQ(levels[0].mean_return, 0.25);
  EXPECT_EQ(levels[1].name, "level 1");
  EXPECT_EQ(levels[1].solved, 1);
  EXPECT_TRUE(by_level(*catalog::make_env("maze/random-25"), evaluation).empty());
}

}  // namespace
}  // namespace plr::train
