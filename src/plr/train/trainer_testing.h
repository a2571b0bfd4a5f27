// Helpers for tests of whole training runs.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plr/base/files.h"
#include "plr/run/checkpoint.h"
#include "plr/run/layout.h"
#include "plr/train/trainer.h"
#include "tests/support/temporary_directory.h"

namespace plr::train {

namespace fs = std::filesystem;

class TrainerTest : public ::testing::Test {
 protected:
  fs::path run(const std::string& name) const { return folder_ / name; }

  TemporaryDirectory folder_;
};

// The records of a log without wall-clock fields.
inline std::vector<nlohmann::json> records(const fs::path& file) {
  std::vector<nlohmann::json> list;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    nlohmann::json record = nlohmann::json::parse(line);
    record.erase("seconds");
    record.erase("steps_per_second");
    list.push_back(record);
  }
  return list;
}

inline void expect_same_run(const fs::path& a, const fs::path& b) {
  const run::Checkpoint x = run::load_checkpoint(a / run::layout::kCheckpoints);
  const run::Checkpoint y = run::load_checkpoint(b / run::layout::kCheckpoints);
  EXPECT_EQ(x.update, y.update);
  EXPECT_EQ(x.tensors, y.tensors);
  EXPECT_EQ(x.states, y.states);
  for (const auto file : {run::layout::kLog, run::layout::kEvaluations, run::layout::kLevels}) {
    EXPECT_EQ(records(a / file), records(b / file)) << file;
  }
  EXPECT_EQ(read_text(a / run::layout::kLevelTable), read_text(b / run::layout::kLevelTable));
}

// Takes seconds per run; every part of the state is used.
inline TrainConfig tiny() {
  TrainConfig config = preset("small");
  config.task.env = "minigrid/MiniGrid-SimpleCrossingS9N1-v0";
  config.network.grid_cnn.pool = true;
  config.compute = {.device = "cpu", .num_threads = 1};  // bitwise reproducible
  config.task.levels = "30";
  config.env.num_slots = 6;
  config.schedule.rollout_length = 40;
  config.schedule.steps = 8 * 240;
  config.schedule.eval_interval = 2;
  config.schedule.eval_episodes = 3;
  config.schedule.final_episodes = 4;
  config.schedule.checkpoint_interval = 3;
  config.schedule.levels_interval = 2;
  config.ppo.num_minibatches = 2;
  config.ppo.epochs = 2;
  return config;
}

// Trains and stops after `updates` updates.
inline void train_for(Trainer& trainer, int updates) {
  trainer.run({.updated = [&](const Progress&) { --updates; },
               .should_stop = [&] { return updates == 0; }});
}

// A run that is stopped after four updates and resumed is the run that is not stopped. Both folders
// begin with `name`.
inline void expect_exact_resume(const TrainConfig& config, const fs::path& name) {
  const fs::path whole = name.string() + "-whole";
  const fs::path parts = name.string() + "-parts";
  EXPECT_TRUE(Trainer(config, whole).run({}));
  {
    Trainer trainer(config, parts);
    train_for(trainer, 4);
  }
  Trainer resumed = Trainer::resume(parts);
  EXPECT_EQ(resumed.progress().update, 4);
  EXPECT_TRUE(resumed.run({}));
  expect_same_run(whole, parts);
}

}  // namespace plr::train
