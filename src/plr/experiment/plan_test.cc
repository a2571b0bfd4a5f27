#include "plr/experiment/plan.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "plr/base/files.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr::experiment {
namespace {

Plan read(const std::string& text, const PlanOptions& options = {}) {
  const TemporaryDirectory temporary;
  write_text(temporary / "try.toml", text);
  return read_plan(temporary / "try.toml", options);
}

std::vector<std::string> names(const Plan& plan) {
  std::vector<std::string> result;
  for (const PlannedRun& run : plan.runs) result.push_back(run.name);
  return result;
}

// The message without the file's folder: "try.toml:LINE: what is wrong".
std::string complaint(const std::string& text) {
  const std::string message = invalid_argument_of([&] { read(text); });
  return message.substr(message.find("try.toml"));
}

using Names = std::vector<std::string>;

TEST(Plan, HasOneRunForEveryCombination) {
  const Plan plan = read(
      "methods = [\"plr\", \"uniform\"]\n"
      "seeds = \"1-2\"\n");
  EXPECT_EQ(plan.name, "try");
  EXPECT_EQ(names(plan), (Names{"doorkey-6x6-plr-s1", "doorkey-6x6-plr-s2",
                                "doorkey-6x6-uniform-s1", "doorkey-6x6-uniform-s2"}));
  EXPECT_EQ(plan.runs[3].config.task.curriculum, train::CurriculumKind::kUniform);
  EXPECT_EQ(plan.runs[3].config.schedule.seed, 2U);
}

TEST(Plan, RefusesTwoEqualRuns) {
  const std::string text = "[settings]\nsteps = 100000\n[sweep]\ntemperature = [0.1, 1]\n";
  const auto message = [](const std::string& plan, const PlanOptions& options) {
    return invalid_argument_of([&] { read(plan, options); });
  };
  EXPECT_EQ(read(text, {}).runs.size(), 2U);
  const std::string end =
      "doorkey-6x6-temperature0.1-s1 and doorkey-6x6-temperature1-s1 would be the same run: all of "
      "their settings are equal";
  const std::string refusal = message(text, {.settings = {{"temperature", "0.5", "--set"}}});
  EXPECT_TRUE(refusal.ends_with(end)) << refusal;
  EXPECT_NE(message("[sweep]\ntemperature = [0.1, 0.10]\n", {}), "");
  EXPECT_NE(message("[variant.a]\nmethod = \"plr\"\n[variant.b]\nmethod = \"plr\"\n", {}), "");
  // Both have a single update.
  EXPECT_EQ(read("[sweep]\nsteps = [100000, 200000]\n", {.scale = 1e-9}).runs.size(), 2U);
}

TEST(Plan, HasOnlyTheRunsThatMatchAPattern) {
  const std::string text = "methods = [\"plr\", \"uniform\"]\nseeds = \"1-11\"\n";
  EXPECT_EQ(names(read(text, {.only = {"*-plr-s1", "*-uniform-s1?"}})),
            (Names{"doorkey-6x6-plr-s1", "doorkey-6x6-uniform-s10", "doorkey-6x6-uniform-s11"}));
  const std::string message = invalid_argument_of([&] {
    read(text, {.only = {"*-plr-s1", "tscl"}});
  });
  EXPECT_TRUE(
      message.ends_with("try.toml has no run 'tscl'; names are such as doorkey-6x6-plr-s1, and * "
                        "stands for any text"))
      << message;
}

TEST(Plan, SweepsOverSettings) {
  const Plan plan = read(
      "[settings]\nsteps = 100000\n[sweep]\nstaleness_coef = [0.1, 0.3]\ntemperature = [1, 2]\n");
  EXPECT_EQ(names(plan), (Names{"doorkey-6x6-staleness_coef0.1-temperature1-s1",
                                "doorkey-6x6-staleness_coef0.1-temperature2-s1",
                                "doorkey-6x6-staleness_coef0.3-temperature1-s1",
                                "doorkey-6x6-staleness_coef0.3-temperature2-s1"}));
  EXPECT_EQ(plan.runs[2].config.replay.staleness_coef, 0.3);
  EXPECT_EQ(plan.runs[2].config.schedule.steps, 100'000);
}

TEST(Plan, VariantsMaySetTheMethod) {
  const Plan plan = read(
      "[settings]\nlevels = \"full\"\n"
      "[variant.uniform]\nmethod = \"uniform\"\n"
      "[variant.m500]\nmethod = \"plr\"\nbuffer_size = 500\n");
  EXPECT_EQ(names(plan), (Names{"doorkey-6x6-uniform-s1", "doorkey-6x6-plr-m500-s1"}));
  EXPECT_EQ(plan.runs[1].config.replay.buffer_size, 500U);
}

TEST(Plan, VariantsMaySetTheAlgorithm) {
  const Plan plan = read(
      "[variant.paper]\nmethod = \"plr\"\n"
      "[variant.released]\nmethod = \"plr\"\nalgorithm = \"released-code\"\n");
  EXPECT_EQ(plan.runs[0].config.replay.warmup_fraction, 0);
  EXPECT_EQ(plan.runs[1].config.replay.warmup_fraction, 1);
  EXPECT_EQ(plan.runs[1].arguments, (Names{"--preset", "small", "--algorithm", "released-code",
                                           "--method", "plr", "--seed", "1"}));
}

TEST(Plan, AVariantMayHaveNoSettings) {
  const Plan first = read("[variant.plain]\n[variant.wide]\nnum_slots = 8\n");
  const Plan last = read("[variant.wide]\nnum_slots = 8\n[variant.plain]\n");
  EXPECT_EQ(first.runs.size(), 2U);
  EXPECT_EQ(last.runs.size(), 2U);
  EXPECT_EQ(first.runs[0].arguments, last.runs[1].arguments);
  EXPECT_EQ(first.runs[1].config.env.num_slots, 8);
}

TEST(Plan, ListsTheArgumentsOfTrain) {
  const Plan plan = read("[settings]\nnum_slots = 8\n");
  EXPECT_EQ(plan.runs[0].arguments,
            (Names{"--preset", "small", "--seed", "1", "--num-slots", "8"}));
}

TEST(Plan, ScalesToWholeUpdatesAndKeepsEvaluations) {
  // 64 slots x 128 steps are an update of 8,192; 2 M steps are 244 of them, a hundredth 2.
  const Plan plan = read("seeds = 1\n", {.scale = 0.01});
  EXPECT_EQ(plan.runs[0].config.schedule.steps, 2 * 8192);
  EXPECT_EQ(plan.runs[0].config.schedule.eval_interval, 1);
  EXPECT_EQ(read("seeds = 1\n", {.scale = 1e-9}).runs[0].config.schedule.steps, 8192);
}

TEST(Plan, SettingsOfTheCommandReplaceThoseOfTheFile) {
  const Plan plan = read("[settings]\nnum_slots = 8\ngamma = 0.9\n[sweep]\nclip = [0.1, 0.2]\n",
                         {.settings = {{"num_slots", "16", "--set"}, {"epochs", "2", "--set"}}});
  ASSERT_EQ(plan.runs.size(), 2U);
  EXPECT_EQ(plan.runs[1].config.env.num_slots, 16);
  EXPECT_EQ(plan.runs[1].config.scorer.gamma, 0.9);
  EXPECT_EQ(plan.runs[1].arguments,
            (Names{"--preset", "small", "--seed", "1", "--clip", "0.2", "--epochs", "2", "--gamma",
                   "0.9", "--num-slots", "16"}));
}

TEST(Plan, SetsThreadsAndWorkersUnlessTheFileDoes) {
  const Plan plain = read("seeds = 1\n", {.num_threads = 3});
  EXPECT_EQ(plain.runs[0].config.compute.num_threads, 3);
  const Plan with_threads = read("[settings]\nthreads = 2\n", {.num_threads = 3});
  EXPECT_EQ(with_threads.runs[0].config.compute.num_threads, 2);
}

TEST(Plan, NamesTheLineThatDoesNotBelongThere) {
  EXPECT_EQ(
      complaint("seeds = 1\nmethds = 3\n"),
      "try.toml:2: unknown line 'methds'; did you mean methods?  Settings of runs belong under "
      "[settings]");
  EXPECT_EQ(complaint("seeds = 1\n\npreset = \"small\"\npresets = [\"small\"]\n"),
            "try.toml:4: presets is given twice");
  EXPECT_EQ(complaint("seeds = 1\n[settings]\nseed = 5\n"),
            "try.toml:3: seed belongs above all sections, as in  seeds = \"1-5\"");
  EXPECT_EQ(complaint("[sweep]\n\ntemperature = []\n"), "try.toml:3: temperature has no value");
  EXPECT_EQ(complaint("[settings]\ntemperature = [1, 2]\n"),
            "try.toml:2: temperature has 2 values; lists belong under [sweep]");
  EXPECT_EQ(complaint("[sweeep]\ntemperature = 1\n"),
            "try.toml:2: unknown section [sweeep]; use [settings], [sweep] or [variant.NAME]");
}

TEST(Plan, NamesTheLineOfInvalidSeeds) {
  EXPECT_EQ(complaint("summary = \"a\"\nseeds = \"5-1\"\n"),
            "try.toml:2: seeds must be numbers or ranges like 1-10, not 5-1");
  EXPECT_EQ(complaint("seeds = \"1-20000\"\n"),
            "try.toml:1: seeds must be at most 10000 in a range, not 1-20000");
  EXPECT_EQ(complaint("seeds = \"x\"\n"),
            "try.toml:1: seeds must be numbers or ranges like 1-10, not x");
}

TEST(Plan, NamesTheLineOfAnInvalidSetting) {
  EXPECT_EQ(complaint("seeds = 1\n[settings]\ntemperatur = 3\n"),
            "try.toml:3: unknown setting 'temperatur'; did you mean temperature?");
  EXPECT_EQ(complaint("[settings]\nsteps = 100000\ntemperature = 0\n"),
            "try.toml:3: temperature must be above 0, not 0");
  EXPECT_EQ(complaint("[sweep]\nstaleness = [0.1,\n0.2]\ntemperature = [1, 0]\n"),
            "try.toml:2: unknown setting 'staleness'; did you mean staleness_coef?");
  EXPECT_EQ(complaint("[sweep]\nepochs = 1\ntemperature = [1, 0]\n"),
            "try.toml:3: temperature must be above 0, not 0");
  EXPECT_EQ(complaint("[variant.a]\nepochs = 1\n[variant.b]\nepochs = \"two\"\n"),
            "try.toml:4: epochs must be a whole number, not two");
  EXPECT_EQ(complaint("[settings]\n\nlevels = \"9-3\"\n"),
            "try.toml:3: levels: the range 9-3 ends before it begins");
}

TEST(Plan, NamesTheLineOfAnUnknownEnvironmentPresetMethodOrAlgorithm) {
  EXPECT_EQ(complaint("seeds = 1\nenvs = [\"minigrid/MiniGrid-DoorKye-6x6-v0\"]\n"),
            "try.toml:2: unknown environment 'minigrid/MiniGrid-DoorKye-6x6-v0'; did you mean "
            "minigrid/MiniGrid-DoorKey-6x6-v0?");
  EXPECT_EQ(complaint("seeds = 1\n\nmethods = [\"plr\", \"pls\"]\n"),
            "try.toml:3: method must be one of uniform, tscl, mixreg, ucb-drac, plr, ucb-drac+plr, "
            "not pls");
  EXPECT_TRUE(complaint("seeds = 1\npreset = \"smal\"\n")
                  .starts_with("try.toml:2: preset must be one of small, "));
  EXPECT_TRUE(complaint("[variant.a]\nalgorithm = \"papers\"\n")
                  .starts_with("try.toml:2: algorithm must be one of "));
}

TEST(Plan, RefusesEnvironmentsInPython) {
  EXPECT_EQ(complaint("seeds = 1\nenvs = [\"classic/CartPole\",\n\"python/walk\"]\n"),
            "try.toml:2: python/walk is an environment in Python, which plr.train(make_env, ...) "
            "plays");
}

TEST(Plan, NamesTheFileIfNoSingleLineIsWrong) {
  EXPECT_EQ(complaint("# nothing\n"), "try.toml: the file names no runs");
  EXPECT_EQ(complaint("seeds = [1, 1]\n"), "try.toml: two runs would be named doorkey-6x6-s1");
  EXPECT_TRUE(complaint("[settings]\nsteps = 10\n")
                  .starts_with("try.toml: steps must be at least one update"));
  EXPECT_THROW(read_plan("nowhere.toml", {}), std::invalid_argument);
}

TEST(Plan, DifferenceIgnoresStepsAndTheMachine) {
  train::TrainConfig planned = train::preset("small");
  train::TrainConfig found = planned;
  EXPECT_EQ(difference(planned, found), "");
  found.schedule.steps += 1;       // it can be extended
  found.compute.num_threads += 1;  // a property of the machine
  planned.compute.precision = learn::Precision::kAuto;
  found.compute.precision = learn::Precision::kFp32;  // resolved on that machine
  EXPECT_EQ(difference(planned, found), "");
  found.replay.temperature = 0.5;
  EXPECT_EQ(difference(planned, found), "temperature is 0.5, not 0.1");
  found = planned;
  found.schedule.shards = 2;  // 0 in the plan: the number of ranks
  EXPECT_EQ(difference(planned, found), "");
  planned.schedule.shards = 1;
  EXPECT_EQ(difference(planned, found), "shards is 2, not 1");
}

}  // namespace
}  // namespace plr::experiment
