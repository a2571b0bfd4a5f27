#include "plr/report/csv_files.h"

#include <gtest/gtest.h>

namespace plr::report {
namespace {

RunData evaluated_run() {
  RunData run;
  run.folder = "runs/a";
  run.settings = {{"env", "minigrid/X"}, {"curriculum", "uniform"}, {"seed", "4"}};
  run.updates.emplace_back().steps = 100;
  run.updates.back().steps_per_second = 1000;
  EvalRecord& evaluation = run.evaluations.emplace_back();
  evaluation.steps = 100;
  evaluation.test_return = 0.5;
  evaluation.train_return = 0.75;
  evaluation.test_success = 1;
  evaluation.test_length = 12.5;
  return run;
}

TEST(CsvFiles, RunsHaveTheirEnvironmentAndBehaviorVersion) {
  std::vector<RunData> runs = {evaluated_run(), evaluated_run()};
  runs[1].settings["env"] = "minigrid/Y";
  runs[1].evaluations[0].behavior_version = 2;
  runs[1].evaluations[0].test_returns = {1.5, -0.5};
  runs[1].is_finished = true;
  EXPECT_EQ(runs_csv(runs, analyze(runs)),
            "run,env,method,seed,behavior_version,finished,steps,test_return,train_return,"
            "test_success,worst_tenth,steps_per_second\n"
            "\"runs/a\",minigrid/X,\"uniform\",4,1,0,100,0.5,0.75,1,,1000\n"
            "\"runs/a\",minigrid/Y,\"uniform\",4,2,1,100,0.5,0.75,1,-0.5,1000\n");
}

TEST(CsvFiles, CommonSettingsAreThoseOfAllRunsWithoutTheSeed) {
  std::vector<RunData> runs = {evaluated_run(), evaluated_run()};
  runs[0].settings["gamma"] = runs[1].settings["gamma"] = "0.999";
  runs[1].settings["curriculum"] = "plr";
  EXPECT_EQ(common_settings_toml(runs),
            "# The settings that all runs have in common; runs.csv has the others.\n"
            "gamma = \"0.999\"\n");
}

TEST(CsvFiles, EvaluationsHaveTheLengthOfTestEpisodes) {
  std::vector<RunData> runs = {evaluated_run()};
  EvalRecord& older = runs[0].evaluations.emplace_back();
  older.steps = 200;
  older.test_return = 0.25;
  EXPECT_EQ(evaluations_csv(runs, analyze(runs)),
            "env,method,seed,steps,test_return,train_return,test_success,test_length\n"
            "minigrid/X,\"uniform\",4,100,0.5,0.75,1,12.5\n"
            "minigrid/X,\"uniform\",4,200,0.25,,,\n");
}

}  // namespace
}  // namespace plr::report
