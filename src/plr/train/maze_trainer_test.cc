// Training in the maze: the recurrent network, and curricula that decide per rollout.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "plr/run/record_files.h"
#include "plr/train/saved_agent.h"
#include "plr/train/trainer.h"
#include "plr/train/trainer_testing.h"

namespace plr::train {
namespace {

using MazeTrainerTest = TrainerTest;

// The settings of a maze's preset, as short as tiny().
void set_maze(TrainConfig& config, const std::string& name) {
  const TrainConfig small = config;
  config = preset(name);
  config.env.num_slots = small.env.num_slots;
  config.env.maze.max_steps = 30;
  config.schedule = small.schedule;
  config.compute = small.compute;
  config.network.lstm.lstm_units = 16;
}

void set_sfl(TrainConfig& config) {
  set_maze(config, "maze-sfl");
  config.sfl = {
      .interval = 3, .num_surveyed = 7, .num_kept = 4, .survey_steps = 35, .survey_slots = 5};
}

TEST_F(MazeTrainerTest, ResumesBitwiseIdenticallyAfterAStop) {
  const std::vector<std::pair<std::string, void (*)(TrainConfig&)>> kinds = {
      {"maze", [](TrainConfig& c) { set_maze(c, "maze-dr"); }},
      {"maze accel",
       [](TrainConfig& c) {
         set_maze(c, "maze-accel");
         c.schedule.steps = 16 * 240;
         c.rollout_replay.buffer.capacity = 12;
       }},
      {"maze plr by regret",
       [](TrainConfig& c) {
         set_maze(c, "maze-plr");
         c.rollout_replay.score = RolloutScore::kRegret;
         c.rollout_replay.buffer.capacity = 12;
       }},
      {"maze sfl", set_sfl},
  };
  for (const auto& [name, change] : kinds) {
    SCOPED_TRACE(name);
    TrainConfig config = tiny();
    change(config);
    expect_exact_resume(config, run(name));
  }
}

TEST_F(MazeTrainerTest, ResumesBitwiseIdenticallyAfterAStopDuringASurvey) {
  TrainConfig config = tiny();
  set_sfl(config);
  // The surveys before the updates 0 and 3 have 70 steps each, in two batches.
  std::vector<double> fractions;
  EXPECT_TRUE(Trainer(config, run("whole")).run({.surveyed = [&](double fraction) {
    fractions.push_back(fraction);
  }}));
  ASSERT_EQ(fractions.size(), 210U);  // and before update 6
  for (std::size_t i = 0; i < fractions.size(); ++i)
    EXPECT_EQ(fractions[i], static_cast<double>(i % 70) / 70);
  {
    Trainer trainer(config, run("parts"));
    int num_calls = 0;
    EXPECT_FALSE(trainer.run({.should_stop = [&] { return ++num_calls == 100; }}));
    EXPECT_EQ(trainer.progress().update, 3);
  }
  EXPECT_TRUE(Trainer::resume(run("parts")).run({}));
  expect_same_run(run("whole"), run("parts"));
}

TEST_F(MazeTrainerTest, RobustPlrLearnsFromReplayedLevelsOnly) {
  TrainConfig config = tiny();
  set_maze(config, "maze-accel");
  config.schedule.steps = 16 * 240;
  config.rollout_replay.buffer.capacity = 12;
  EXPECT_TRUE(Trainer(config, run("run")).run({}));
  int num_learned = 0;
  for (const nlohmann::json& record : records(run("run") / run::layout::kLog)) {
    const bool is_replay = record.at("rollout_kind") == "replay";
    num_learned += is_replay ? 1 : 0;
    EXPECT_EQ(record.at("policy_loss").is_null(), !is_replay);
    EXPECT_EQ(record.at("gradient_updates"), num_learned);
    EXPECT_EQ(record.at("unmeasured_levels"), 0);
  }
  EXPECT_GT(num_learned, 3);
  EXPECT_LT(num_learned, 16);
}

TEST_F(MazeTrainerTest, ASavedAgentPlaysTheLevelsThatItsRunHasEdited) {
  TrainConfig config = tiny();
  set_maze(config, "maze-accel");
  config.schedule.steps = 16 * 240;
  config.rollout_replay.buffer.capacity = 12;
  EXPECT_TRUE(Trainer(config, run("run")).run({}));
  const SavedAgent agent = load_agent(run("run"), 1);
  int num_edited = 0;
  for (const run::LevelRow& row :
       run::read_level_table(run("run") / run::layout::kLevelTable).records) {
    EXPECT_TRUE(agent.env->has_level(row.level)) << row.level;
    num_edited += row.data ? 1 : 0;
  }
  EXPECT_GT(num_edited, 0);
}

// The shortest solution takes 9 of 60 steps: the best return is 0.865.
void expect_learns_small_maze(TrainConfig config, double least_return, const fs::path& folder) {
  config.task.env = "maze/TrivialMaze";
  config.task.test_env = "";
  config.task.levels = "1";
  config.env.maze.max_steps = 60;
  config.compute = {.device = "cpu", .num_threads = 1};
  config.network.lstm.lstm_units = 32;
  config.schedule.rollout_length = 64;
  config.schedule.steps = 300'000;
  config.schedule.eval_interval = 0;
  config.ppo.epochs = 4;
  config.ppo.num_minibatches = 4;
  config.ppo.entropy_coef = 0.03;  // with 0.01, one of four seeds does not learn
  config.ppo.adam.learning_rate = 7e-4;
  EXPECT_TRUE(Trainer(config, folder).run({}));
  const auto evaluation = records(folder / "eval.jsonl").back();
  EXPECT_GT(evaluation.at("test_success"), 0.9);
  EXPECT_GT(evaluation.at("test_return"), least_return);
}

TEST_F(MazeTrainerTest, LearnsASmallMazeWithTheRecurrentNetwork) {
  expect_learns_small_maze(preset("maze-dr"), 0.8, run("maze"));
}

TEST_F(MazeTrainerTest, LearnsASmallMazeWithEditedLevels) {
  TrainConfig config = preset("maze-accel");
  config.rollout_replay.learn_on_new = true;
  config.rollout_replay.buffer.capacity = 16;
  config.rollout_replay.buffer.min_fill_ratio = 0;
  expect_learns_small_maze(config, 0.7, run("maze"));  // most rollouts are on other levels
}

}  // namespace
}  // namespace plr::train
