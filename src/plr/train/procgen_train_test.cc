// Training on Procgen: resuming and logging as for MiniGrid.
#include <gtest/gtest.h>

#include "plr/train/trainer_testing.h"
#include "tests/support/procgen_installed.h"

namespace plr::train {
namespace {

class ProcgenTrainerTest : public TrainerTest {};

// A game of short episodes, with few samples, so that the network takes little of the time.
TrainConfig tiny() {
  TrainConfig config = preset("procgen-easy");
  config.task.env = "procgen/leaper";
  config.task.levels = "20";
  config.compute = {.device = "cpu", .num_threads = 1};  // bitwise reproducible
  config.env.num_slots = 4;
  config.env.num_workers = 1;
  config.schedule.rollout_length = 24;
  config.schedule.steps = 6 * 4 * 24;
  config.schedule.eval_interval = 4;
  config.schedule.eval_episodes = 2;
  config.schedule.final_episodes = 2;
  config.schedule.checkpoint_interval = 2;
  config.schedule.levels_interval = 2;
  config.ppo.num_minibatches = 2;
  config.ppo.epochs = 1;
  return config;
}

TEST_F(ProcgenTrainerTest, ResumesBitwiseIdenticallyAfterAStop) {
  PLR_NEEDS_PROCGEN();
  EXPECT_TRUE(Trainer(tiny(), run("whole")).run({}));
  {
    Trainer trainer(tiny(), run("parts"));
    train_for(trainer, 3);
  }
  Trainer resumed = Trainer::resume(run("parts"));
  EXPECT_EQ(resumed.progress().update, 3);
  EXPECT_TRUE(resumed.run({}));
  expect_same_run(run("whole"), run("parts"));
  const auto evaluations = records(run("whole") / "eval.jsonl");
  ASSERT_EQ(evaluations.size(), 2U);
  // Some levels came to an end, so that others were drawn.
  EXPECT_GT(records(run("whole") / "log.jsonl").back().at("episodes").get<int>(), 0);
}

TEST_F(ProcgenTrainerTest, GivesTheSameRunWhateverTheNumberOfWorkers) {
  PLR_NEEDS_PROCGEN();
  TrainConfig config = tiny();
  config.schedule.steps /= 2;
  EXPECT_TRUE(Trainer(config, run("one")).run({}));
  // Four have a copy of the library besides.
  for (const int num_workers : {3, 4}) {
    config.env.num_workers = num_workers;
    const std::string name = std::to_string(num_workers);
    EXPECT_TRUE(Trainer(config, run(name)).run({}));
    expect_same_run(run("one"), run(name));
  }
}

}  // namespace
}  // namespace plr::train
