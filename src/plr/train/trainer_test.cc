#include "plr/train/trainer.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "plr/base/files.h"
#include "plr/run/behavior_version.h"
#include "plr/run/checkpoint.h"
#include "plr/run/json_lines.h"
#include "plr/train/run_settings.h"
#include "plr/train/trainer_testing.h"
#include "tests/support/error_message.h"

namespace plr::train {
namespace {

using Configure = void (*)(TrainConfig&);

TEST_F(TrainerTest, OnCudaARunRepeatsAndResumesBitwiseIdentically) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
  for (const learn::Kernels kernels : {learn::Kernels::kAuto, learn::Kernels::kLibtorch}) {
    const std::string name = to_text(kernels);
    SCOPED_TRACE(name);
    TrainConfig config = tiny();
    set_method(config, Method::kUcbDracPlr);
    config.compute = {.device = "cuda", .deterministic = true, .kernels = kernels};
    EXPECT_TRUE(Trainer(config, run(name)).run({}));
    EXPECT_TRUE(Trainer(config, run(name + "-again")).run({}));
    expect_same_run(run(name), run(name + "-again"));
    {
      Trainer part(config, run(name + "-parts"));
      train_for(part, 3);
    }
    EXPECT_TRUE(Trainer::resume(run(name + "-parts")).run({}));
    expect_same_run(run(name), run(name + "-parts"));
  }
}

TEST_F(TrainerTest, ResumesBitwiseIdenticallyAfterAStop) {
  const std::vector<std::pair<std::string, Configure>> kinds = {
      {"default", [](TrainConfig&) {}},
      {"paper", [](TrainConfig& c) { set_algorithm(c, Algorithm::kPaper); }},
      {"released", [](TrainConfig& c) { set_algorithm(c, Algorithm::kReleasedCode); }},
      {"uniform", [](TrainConfig& c) { c.task.curriculum = CurriculumKind::kUniform; }},
      {"stream",
       [](TrainConfig& c) {
         c.task.levels = "full";
         c.replay.buffer_size = 8;
         c.scorer.score_function = ScoreFunction::kPolicyEntropy;
       }},
      {"obstacles",
       [](TrainConfig& c) { c.task.env = "minigrid/MiniGrid-Dynamic-Obstacles-8x8-v0"; }},
      {"tscl",
       [](TrainConfig& c) {
         set_method(c, Method::kTscl);
         c.tscl.window = 2;
         c.tscl.staleness_coef = 0.3;
       }},
      {"mixreg", [](TrainConfig& c) { set_method(c, Method::kMixreg); }},
      {"ucb-drac+plr",
       [](TrainConfig& c) {
         set_method(c, Method::kUcbDracPlr);
         c.drac.ucb.each_arm_once = true;  // all eight augmentations are used
       }},
      {"linear rate",
       [](TrainConfig& c) { c.schedule.learning_rate_schedule = LearningRateSchedule::kLinear; }},
      {"lstm",
       [](TrainConfig& c) {
         c.env.observation = Observation::kView;
         c.network.network = NetworkChoice::kLstm;
         c.network.lstm.lstm_units = 16;
         c.ppo.num_minibatches = 3;
       }},
      {"everything",
       [](TrainConfig& c) {
         set_algorithm(c, Algorithm::kReleasedCode);
         set_method(c, Method::kUcbDracPlr);
         c.mixreg = {.alpha = 0.5, .normalize = true};
       }},
  };
  for (const auto& [name, change] : kinds) {
    SCOPED_TRACE(name);
    TrainConfig config = tiny();
    change(config);
    expect_exact_resume(config, run(name));
  }
}

TEST_F(TrainerTest, DropsRecordsLoggedAfterTheCheckpoint) {
  // A kill between two checkpoints leaves logs that are ahead of the checkpoint.
  EXPECT_TRUE(Trainer(tiny(), run("whole")).run({}));
  {
    Trainer trainer(tiny(), run("killed"));
    train_for(trainer, 4);
  }
  std::ofstream(run("killed") / "log.jsonl", std::ios::app) << "{\"update\": 5}\n{\"upd";
  EXPECT_TRUE(Trainer::resume(run("killed")).run({}));
  expect_same_run(run("whole"), run("killed"));
}

TEST_F(TrainerTest, RepeatsAFinalEvaluationThatWasStopped) {
  EXPECT_TRUE(Trainer(tiny(), run("whole")).run({}));
  {
    Trainer trainer(tiny(), run("stopped"));
    int num_left = 8 + 10;  // all updates, and some steps of the evaluation
    EXPECT_FALSE(trainer.run({.should_stop = [&] { return --num_left <= 0; }}));
    EXPECT_EQ(trainer.progress().update, 8);
  }
  EXPECT_EQ(run::load_checkpoint(run("stopped") / "checkpoint").update, 8);
  EXPECT_EQ(records(run("stopped") / "eval.jsonl").size(), 4U);
  EXPECT_TRUE(Trainer::resume(run("stopped")).run({}));
  expect_same_run(run("whole"), run("stopped"));
}

TEST_F(TrainerTest, WritesTheLevelTableBeforeTheCheckpoint) {
  // If the run is killed between the two, the table is written again on resume.
  EXPECT_TRUE(Trainer(tiny(), run("run")).run({}));
  EXPECT_LE(fs::last_write_time(run("run") / "levels.csv"),
            fs::last_write_time(run("run") / "checkpoint/update-00000008/tensors.safetensors"));
}

TEST_F(TrainerTest, RepeatsARunFromItsConfigFile) {
  EXPECT_TRUE(Trainer(tiny(), run("first")).run({}));
  EXPECT_TRUE(Trainer(config_of_run(run("first")), run("second")).run({}));
  expect_same_run(run("first"), run("second"));
}

TEST_F(TrainerTest, TrainsADifferentRunWithAnotherSeed) {
  TrainConfig config = tiny();
  EXPECT_TRUE(Trainer(config, run("one")).run({}));
  config.schedule.seed = 2;
  EXPECT_TRUE(Trainer(config, run("two")).run({}));
  EXPECT_NE(run::load_checkpoint(run("one") / "checkpoint").tensors,
            run::load_checkpoint(run("two") / "checkpoint").tensors);
}

TEST_F(TrainerTest, EvaluatesOnTheLevelsOfTheTestEnvironment) {
  TrainConfig config = tiny();
  config.task.env = "maze/random-25";
  config.task.test_env = "maze/JaxUED-8";
  config.env.maze.max_steps = 25;
  config.network.lstm.lstm_units = 16;
  config.schedule.steps = 2 * 240;
  config.schedule.eval_episodes = 8;
  config.schedule.final_episodes = 16;
  EXPECT_TRUE(Trainer(config, run("run")).run({}));
  const auto evaluations = records(run("run") / "eval.jsonl");
  ASSERT_EQ(evaluations.size(), 2U);
  for (const nlohmann::json& evaluation : evaluations) {
    const nlohmann::json& levels = evaluation.at("test_levels");
    ASSERT_EQ(levels.size(), 8U);
    EXPECT_EQ(levels[2].at("name"), "Labyrinth");
    for (const nlohmann::json& level : levels) {
      EXPECT_EQ(level.at("episodes"), evaluation.contains("final") ? 2 : 1);
      EXPECT_EQ(level.at("solved"), 0);  // the shortest solution has 26 actions
    }
  }
  EXPECT_EQ(config_of_run(run("run")).task.test_env, "maze/JaxUED-8");
}

TEST_F(TrainerTest, CanBeResumedToMoreSteps) {
  TrainConfig longer = tiny();
  longer.schedule.steps *= 2;
  EXPECT_TRUE(Trainer(tiny(), run("run")).run({}));
  Trainer more = Trainer::resume(run("run"), {.steps = longer.schedule.steps});
  EXPECT_TRUE(more.run({}));
  EXPECT_EQ(more.progress().update, 16);
  EXPECT_EQ(config_of_run(run("run")).schedule.steps, longer.schedule.steps);
}

TEST_F(TrainerTest, DoesNotBeginInAFolderWithLogsOfAnotherRun) {
  for (const char* name : {"log.jsonl", "eval.jsonl"}) {
    const fs::path folder = run(name);
    fs::create_directories(folder);
    write_text(folder / name, "{}\n");
    write_text(folder / "events.out.tfevents.plr", "of others");
    EXPECT_EQ(invalid_argument_of([&] { Trainer(tiny(), folder); }),
              folder.string() + " holds logs of another run; remove them, or name another folder");
    EXPECT_EQ(read_text(folder / name), "{}\n");
    EXPECT_EQ(read_text(folder / "events.out.tfevents.plr"), "of others");
  }
}

TEST_F(TrainerTest, LocksTheRunBeforeItReadsTheCheckpoint) {
  EXPECT_TRUE(Trainer(tiny(), run("run")).run({}));
  fs::remove_all(run("run") / "checkpoint");  // as another process may while it trains
  const run::JsonLines other(run("run") / "log.jsonl");
  EXPECT_NE(runtime_error_of([&] { Trainer::resume(run("run")); }).find("log.jsonl"),
            std::string::npos);
}

// Removes a setting from the config.toml of a run.
void erase_setting(const fs::path& folder, const std::string& name) {
  const fs::path path = folder / "config.toml";
  std::string text = read_text(path);
  const std::size_t line = text.find("\n" + name + " = ");
  text.erase(line, text.find('\n', line + 1) - line);
  write_text(path, text);
}

TEST_F(TrainerTest, GivesSettingsThatOldRunsLackTheirOldValues) {
  TrainConfig config = tiny();
  config.schedule.learning_rate_schedule = LearningRateSchedule::kConstant;
  config.schedule.shards = 1;
  EXPECT_TRUE(Trainer(config, run("run")).run({}));
  for (const AddedSetting& added : kAddedSettings)
    erase_setting(run("run"), std::string(added.name));
  EXPECT_EQ(to_toml(config_of_run(run("run"))), to_toml(config));
}

TEST_F(TrainerTest, SaysThatARunWasBegunWithAnotherBehaviorVersion) {
  {
    Trainer trainer(tiny(), run("run"));
    train_for(trainer, 1);
  }
  EXPECT_TRUE(Trainer::resume(run("run")).notes().empty());
  const fs::path checkpoints = run("run") / "checkpoint";
  run::Checkpoint checkpoint = run::load_checkpoint(checkpoints);
  checkpoint.facts.erase("behavior_version");
  run::save_checkpoint(checkpoints, checkpoint);
  const std::vector<std::string> notes = Trainer::resume(run("run")).notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("begun with behavior version 1;"), std::string::npos) << notes[0];
}

TEST_F(TrainerTest, RefusesIncompleteSettings) {
  EXPECT_TRUE(Trainer(tiny(), run("run")).run({}));
  erase_setting(run("run"), "learning_rate");
  EXPECT_EQ(invalid_argument_of([&] { Trainer::resume(run("run")); }),
            (run("run") / "config.toml").string() +
                " has no learning_rate; the settings of a run must be complete");
}

TEST_F(TrainerTest, TruncatesNoLogIfOneIsLostAndResumesWithoutTensorBoardEvents) {
  {
    Trainer trainer(tiny(), run("run"));
    train_for(trainer, 4);
  }
  const std::string log = read_text(run("run") / "log.jsonl") + "{}\n";
  write_text(run("run") / "log.jsonl", log);
  const std::string levels = read_text(run("run") / "levels.jsonl");
  fs::remove(run("run") / "levels.jsonl");
  EXPECT_NE(runtime_error_of([&] { Trainer::resume(run("run")); }).find("its end is lost; restore"),
            std::string::npos);
  EXPECT_EQ(read_text(run("run") / "log.jsonl"), log);
  write_text(run("run") / "levels.jsonl", levels);
  fs::remove(run("run") / "events.out.tfevents.plr");
  EXPECT_TRUE(Trainer::resume(run("run")).run({}));
  EXPECT_TRUE(Trainer(tiny(), run("whole")).run({}));
  expect_same_run(run("whole"), run("run"));
  EXPECT_GT(fs::file_size(run("run") / "events.out.tfevents.plr"), 100U);
}

TEST_F(TrainerTest, CannotBeResumedToFewerStepsThanDone) {
  {
    Trainer trainer(tiny(), run("run"));
    train_for(trainer, 4);
  }
  const std::int64_t batch = tiny().schedule.steps / 8;
  EXPECT_EQ(invalid_argument_of([&] { Trainer::resume(run("run"), {.steps = 3 * batch}); }),
            "steps must be at least " + std::to_string(4 * batch) + ", which " +
                run("run").string() + " has done already, not " + std::to_string(3 * batch));
  EXPECT_EQ(config_of_run(run("run")).schedule.steps, tiny().schedule.steps);
  EXPECT_TRUE(Trainer::resume(run("run"), {.steps = 4 * batch}).run({}));
}

// An empty room with a random start: an untrained agent reaches the goal late, for a return of
// about 0.4; shortest paths give 0.95. Each run takes about 15 s.
void expect_learns(const fs::path& folder, CurriculumKind curriculum) {
  TrainConfig config = preset("small");
  config.task = {
      .env = "minigrid/MiniGrid-Empty-Random-6x6-v0", .levels = "50", .curriculum = curriculum};
  config.compute = {.device = "cpu", .num_threads = 1};  // bitwise reproducible
  config.env.num_slots = 16;
  config.schedule.rollout_length = 64;
  config.schedule.steps = 48 * 1024;
  config.schedule.eval_interval = 1;
  config.schedule.eval_episodes = 64;
  config.schedule.final_episodes = 64;
  std::optional<double> first;
  Trainer trainer(config, folder);
  trainer.run({.updated = [&](const Progress& p) { first = first.value_or(*p.test_return); }});
  EXPECT_LT(*first, 0.6);
  EXPECT_GT(*trainer.progress().test_return, 0.75);
}

TEST_F(TrainerTest, LearnsWithLevelReplay) { expect_learns(run("plr"), CurriculumKind::kPlr); }
TEST_F(TrainerTest, LearnsWithUniformLevels) {
  expect_learns(run("uniform"), CurriculumKind::kUniform);
}

TEST_F(TrainerTest, LogsDracLossAndAugmentationOfEachUpdate) {
  TrainConfig config = tiny();
  set_method(config, Method::kUcbDrac);
  config.drac.ucb.each_arm_once = true;
  EXPECT_TRUE(Trainer(config, run("drac")).run({}));
  std::vector<std::string> augmentations;
  for (const nlohmann::json& record : records(run("drac") / "log.jsonl")) {
    augmentations.push_back(record.at("augmentation"));
    EXPECT_GT(record.at("drac_loss").get<double>(), 0);
  }
  const std::vector<std::string> all = {"crop",   "random-conv", "grayscale",    "flip",
                                        "rotate", "cutout",      "cutout-color", "color-jitter"};
  EXPECT_EQ(augmentations, all);
}

TEST_F(TrainerTest, MarksTheFinalEvaluationAndListsItsReturns) {
  const TrainConfig config = tiny();
  EXPECT_TRUE(Trainer(config, run("a")).run({}));
  const auto evaluations = records(run("a") / "eval.jsonl");
  ASSERT_GT(evaluations.size(), 1U);
  EXPECT_FALSE(evaluations.front().contains("test_returns"));
  EXPECT_FALSE(evaluations.front().contains("final"));
  EXPECT_EQ(evaluations.back().at("final"), true);
  EXPECT_EQ(evaluations.back().at("behavior_version"), run::kBehaviorVersion);
  EXPECT_EQ(std::ssize(evaluations.back().at("test_returns")), config.schedule.final_episodes);
}

TEST_F(TrainerTest, RefusesInvalidSettingsAndWritesNothing) {
  const auto message = [&](const std::string& name, const std::string& value) {
    TrainConfig config = tiny();
    set(config, name, value);
    const std::string said = invalid_argument_of([&] { Trainer(config, run("bad")); });
    EXPECT_FALSE(fs::exists(run("bad"))) << name;
    return said;
  };
  EXPECT_NE(message("env", "minigrid/DoorKey-8x8").find("did you mean"), std::string::npos);
  EXPECT_EQ(message("steps", "239"),
            "steps must be at least one update, 240 (num_slots * rollout_length), not 239");
  EXPECT_NE(message("levels", "nowhere.txt").find("nowhere.txt"), std::string::npos);
  EXPECT_NE(message("device", "tpu").find("tpu"), std::string::npos);
  EXPECT_NE(message("num_minibatches", "500").find("500"), std::string::npos);
  EXPECT_NE(message("augmentation", "crop").find("set drac too"), std::string::npos);
}

TEST_F(TrainerTest, RefusesMethodsThatDoNotFitTheTask) {
  TrainConfig config = tiny();
  set_method(config, Method::kTscl);
  config.task.levels = "full";
  EXPECT_THROW(Trainer(config, run("bad")), std::invalid_argument);
  config = tiny();
  set_method(config, Method::kUcbDrac);
  config.task.env = "minigrid/MiniGrid-LavaGapS5-v0";
  config.network.grid_cnn.pool = false;
  EXPECT_NO_THROW(Trainer(config, run("square")));
  config.task.env = "minigrid/MiniGrid-RedBlueDoors-6x6-v0";
  EXPECT_THROW(Trainer(config, run("bad")), std::invalid_argument);  // not square
  EXPECT_FALSE(fs::exists(run("bad")));
}

TEST_F(TrainerTest, RefusesSettingsThatARecurrentNetworkCannotHave) {
  TrainConfig config = tiny();
  config.network.network = NetworkChoice::kLstm;
  config.ppo.num_minibatches = 7;
  EXPECT_EQ(invalid_argument_of([&] { Trainer(config, run("bad")); }),
            "num_minibatches must be at most num_slots, 6, with a recurrent network, whose "
            "mini-batches are whole slots, not 7");
  config.ppo.num_minibatches = 4;
  config.schedule.shards = 2;
  EXPECT_EQ(invalid_argument_of([&] { Trainer(config, run("bad")); }),
            "num_minibatches must be at most the 3 slots of a shard, with a recurrent network, "
            "whose mini-batches are whole slots, not 4");
  config.schedule.shards = 1;
  config.ppo.num_minibatches = 2;
  set_method(config, Method::kMixreg);
  EXPECT_EQ(invalid_argument_of([&] { Trainer(config, run("bad")); }),
            "network must not be lstm with mixreg or drac, which change single observations");
  EXPECT_FALSE(fs::exists(run("bad")));
}

TEST_F(TrainerTest, RefusesToBeginOverAnExistingRun) {
  EXPECT_TRUE(Trainer(tiny(), run("run")).run({}));
  EXPECT_THROW(Trainer(tiny(), run("run")), std::invalid_argument);
  EXPECT_THROW(Trainer::resume(run("nowhere")), std::invalid_argument);
}

TEST_F(TrainerTest, RefusesADamagedCheckpointAndNamesTheFile) {
  EXPECT_TRUE(Trainer(tiny(), run("run")).run({}));
  const fs::path newest = run::list_checkpoints(run("run") / "checkpoint").back().path;
  std::vector<std::byte> bytes = read_file(newest / "tensors.safetensors");
  bytes[bytes.size() / 2] ^= std::byte{1};
  write_file(newest / "tensors.safetensors", bytes);
  try {
    Trainer::resume(run("run"));
    FAIL() << "a damaged checkpoint was loaded";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("tensors.safetensors"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace plr::train
