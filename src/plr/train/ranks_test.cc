// A run of several ranks is the run of one: ranks are threads of this process.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "plr/distributed/ranks_testing.h"
#include "plr/train/rank_agreement.h"
#include "plr/train/trainer.h"
#include "plr/train/trainer_testing.h"
#include "tests/support/error_message.h"
#include "tests/support/procgen_installed.h"

namespace plr::train {
namespace {

using distributed::on_ranks;

// With four shards.
TrainConfig tiny_shards() {
  TrainConfig config = tiny();
  config.schedule.shards = 4;
  config.env.num_slots = 8;
  config.env.num_workers = 1;
  config.schedule.steps = 4 * 8 * 40;
  config.schedule.eval_episodes = 6;
  return config;
}

void train(const TrainConfig& config, const fs::path& folder, int num_ranks) {
  on_ranks(num_ranks, [&](const auto& world) {
    EXPECT_TRUE(Trainer(config, folder, Locking::kRequired, world).run({}));
  });
}

using Configure = void (*)(TrainConfig&);

class RanksTest : public TrainerTest {
 protected:
  // Runs of one, two and four ranks, and one that is stopped with two ranks and resumed with four.
  void expect_same_for_any_ranks(const TrainConfig& config, const std::string& name) {
    SCOPED_TRACE(name);
    const fs::path one = run(name + "-1");
    train(config, one, 1);
    for (const int num_ranks : {2, 4}) {
      const fs::path several = run(name + "-" + std::to_string(num_ranks));
      train(config, several, num_ranks);
      expect_same_run(one, several);
    }
    const fs::path parts = run(name + "-parts");
    on_ranks(2, [&](const auto& world) {
      Trainer trainer(config, parts, Locking::kRequired, world);
      train_for(trainer, 3);
    });
    on_ranks(4, [&](const auto& world) {
      EXPECT_TRUE(Trainer::resume(parts, {}, Locking::kRequired, world).run({}));
    });
    expect_same_run(one, parts);
  }
};

TEST_F(RanksTest, RunsOfMiniGridAreTheSameForAnyNumberOfRanks) {
  const std::vector<std::pair<std::string, Configure>> kinds = {
      {"plr", [](TrainConfig&) {}},
      {"paper", [](TrainConfig& c) { set_algorithm(c, Algorithm::kPaper); }},
      {"uniform", [](TrainConfig& c) { c.task.curriculum = CurriculumKind::kUniform; }},
      {"tscl", [](TrainConfig& c) { c.task.curriculum = CurriculumKind::kTscl; }},
      {"mixreg", [](TrainConfig& c) { set_method(c, Method::kMixreg); }},
      {"stream",
       [](TrainConfig& c) {
         c.task.levels = "full";
         c.replay.buffer_size = 8;
       }},
      {"minibatch-advantages", [](TrainConfig& c) { c.ppo.minibatch_advantages = true; }}};
  for (const auto& [name, configure] : kinds) {
    TrainConfig config = tiny_shards();
    configure(config);
    expect_same_for_any_ranks(config, name);
  }
}

TEST_F(RanksTest, RunsOfARecurrentNetworkInTheMazeAreTheSameForAnyNumberOfRanks) {
  for (const std::string name : {"maze-dr", "maze-plr", "maze-accel", "maze-sfl"}) {
    TrainConfig config = preset(name);
    config.compute = {.device = "cpu", .num_threads = 1};
    config.schedule.shards = 4;
    config.env.num_slots = 8;
    config.schedule.rollout_length = 16;
    config.env.maze.max_steps = 12;
    config.schedule.steps = 6 * 8 * 16;
    config.schedule.eval_interval = 3;
    config.schedule.eval_episodes = 8;
    config.schedule.final_episodes = 8;
    config.schedule.checkpoint_interval = 2;
    config.ppo.num_minibatches = 1;
    config.ppo.epochs = 2;
    config.network.lstm.lstm_units = 16;
    config.rollout_replay.buffer.capacity = 12;
    config.sfl.interval = 2;
    config.sfl.num_surveyed = 12;
    config.sfl.num_kept = 4;
    config.sfl.survey_steps = 14;
    config.sfl.survey_slots = 4;
    expect_same_for_any_ranks(config, name);
  }
}

TEST_F(RanksTest, RunsOfProcgenAreTheSameForAnyNumberOfRanks) {
  PLR_NEEDS_PROCGEN();
  TrainConfig config = preset("procgen-easy");
  config.task.env = "procgen/leaper";
  config.compute = {.device = "cpu", .num_threads = 1};
  config.schedule.shards = 4;
  config.env.num_slots = 8;
  config.env.num_workers = 1;
  config.task.levels = "20";
  config.schedule.rollout_length = 12;
  config.schedule.steps = 4 * 8 * 12;
  config.schedule.eval_interval = 0;
  config.schedule.final_episodes = 2;
  config.ppo.num_minibatches = 2;
  config.ppo.epochs = 1;
  expect_same_for_any_ranks(config, "leaper");
}

TEST_F(RanksTest, RunsOfFloatsAndWideActionsAreTheSameForAnyNumberOfRanks) {
  for (const std::string name : {"TwinCartPole", "Pendulum"}) {
    TrainConfig config = tiny_shards();
    config.task.env = "classic/" + name;
    config.network.normalizer.enabled = true;
    expect_same_for_any_ranks(config, name);
  }
}

TEST_F(RanksTest, OneShardIsTheRunWithoutShards) {
  TrainConfig config = tiny_shards();
  config.schedule.shards = 1;
  train(config, run("one"), 1);
  config.schedule.shards = 0;
  EXPECT_TRUE(Trainer(config, run("none")).run({}));
  expect_same_run(run("one"), run("none"));
}

TEST_F(RanksTest, RanksWithOtherSettingsAreNamed) {
  std::vector<std::string> messages(2);
  on_ranks(2, [&](const auto& world) {
    TrainConfig config = tiny_shards();
    if (!world->is_first()) config.schedule.seed = 7;
    messages[static_cast<std::size_t>(world->rank())] =
        invalid_argument_of([&] { Trainer(config, run("a"), Locking::kRequired, world); });
  });
  EXPECT_EQ(messages[0], "all ranks must have the same seed, but rank 0 has 1 and rank 1 has 7");
  EXPECT_EQ(messages[1], messages[0]);
  EXPECT_FALSE(fs::exists(run("a")));
}

TEST_F(RanksTest, RanksMustDivideTheShards) {
  on_ranks(4, [&](const auto& world) {
    TrainConfig config = tiny_shards();
    config.schedule.shards = 2;
    EXPECT_EQ(
        invalid_argument_of([&] { Trainer(config, run("a"), Locking::kRequired, world); }),
        "shards must be a multiple of the 4 ranks, not 2; start the run with as many ranks as "
        "divide its shards");
  });
}

TEST_F(RanksTest, AllRanksRefuseAFolderThatHoldsARun) {
  train(tiny_shards(), run("a"), 1);
  on_ranks(2, [&](const auto& world) {
    const std::string message =
        invalid_argument_of([&] { Trainer(tiny_shards(), run("a"), Locking::kRequired, world); });
    EXPECT_NE(message.find("holds a run already"), std::string::npos) << message;
  });
}

TEST_F(RanksTest, AStopOfOneRankStopsAllAfterTheSameUpdate) {
  on_ranks(2, [&](const auto& world) {
    Trainer trainer(tiny_shards(), run("a"), Locking::kRequired, world);
    const bool is_second = !world->is_first();
    int updates = 2;
    EXPECT_FALSE(trainer.run({.updated = [&](const Progress&) { --updates; },
                              .should_stop = [&] { return is_second && updates == 0; }}));
    EXPECT_EQ(trainer.progress().update, 2);
  });
}

}  // namespace
}  // namespace plr::train
