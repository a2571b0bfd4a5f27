#include "plr/report/run_data.h"

#include <gtest/gtest.h>

#include <fstream>

#include "plr/report/runs_testing.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr::report {
namespace {

TEST(RunData, HoldsTheRecordsOfTheRun) {
  const TemporaryDirectory temporary;
  write_run(temporary / "a", {.test = {0.1, 0.5}, .gap = 0.2});
  const RunData run = read_run(temporary / "a");
  EXPECT_EQ(run.env(), "minigrid/MiniGrid-DoorKey-6x6-v0");
  EXPECT_EQ(run.steps_done(), 200);
  EXPECT_EQ(run.steps_planned(), 200);
  EXPECT_TRUE(run.is_finished);
  ASSERT_EQ(run.evaluations.size(), 2U);
  EXPECT_DOUBLE_EQ(run.evaluations[1].train_return, 0.7);
  EXPECT_EQ(run.evaluations[1].test_returns, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(run.curriculum.at(0).by_difficulty, (std::vector<double>{0.25, 0.75}));
  ASSERT_EQ(run.levels.size(), 2U);
  EXPECT_EQ(run.levels[0].level, 7U);
  EXPECT_EQ(run.levels[0].difficulty, 0);
  EXPECT_FALSE(run.levels[1].difficulty);
  EXPECT_TRUE(run.remarks.empty());
}

TEST(RunData, OfARunInProgressIsNotFinished) {
  const TemporaryDirectory temporary;
  write_run(temporary / "a", {.test = {0.1, 0.5}, .is_finished = false});
  EXPECT_FALSE(read_run(temporary / "a").is_finished);
  // Finished once, then resumed with more steps.
  write_run(temporary / "b", {.test = {0.1, 0.5}});
  std::ofstream(temporary / "b/log.jsonl", std::ios::app)
      << "{\"steps\":300,\"return\":1,\"steps_per_second\":9}\n";
  EXPECT_FALSE(read_run(temporary / "b").is_finished);
}

TEST(RunData, TakesTheLastEvaluationOfTheSameSteps) {
  const TemporaryDirectory temporary;
  write_run(temporary / "a", {.test = {0.1, 0.5}, .is_finished = false});
  std::ofstream(temporary / "a/eval.jsonl", std::ios::app)
      << "{\"steps\":200,\"test_return\":0.9,\"train_return\":1,\"test_success\":1}\n";
  const RunData run = read_run(temporary / "a");
  ASSERT_EQ(run.evaluations.size(), 2U);
  EXPECT_EQ(run.evaluations[1].test_return, 0.9);
}

TEST(RunData, IgnoresAnIncompleteLastLine) {
  const TemporaryDirectory temporary;
  write_run(temporary / "a", {.test = {0.1, 0.5}});
  std::ofstream(temporary / "a/eval.jsonl", std::ios::app) << "{\"steps\":300,\"test_ret";
  const RunData run = read_run(temporary / "a");
  EXPECT_EQ(run.evaluations.size(), 2U);
  EXPECT_TRUE(run.remarks.empty());
}

TEST(RunData, NamesDamagedLinesAndKeepsTheRest) {
  const TemporaryDirectory temporary;
  write_run(temporary / "a", {.test = {0.1, 0.5}});
  std::ofstream(temporary / "a/eval.jsonl", std::ios::app)
      << "{\"steps\":300,\nnot JSON\n{\"steps\":300,\"test_return\":null}\n";
  const RunData run = read_run(temporary / "a");
  EXPECT_EQ(run.evaluations.size(), 2U);
  ASSERT_EQ(run.remarks.size(), 1U);
  EXPECT_EQ(run.remarks[0],
            "eval.jsonl: 3 damaged lines left out, the first is line 3 (not a JSON object)");
}

TEST(RunData, NamesMissingFiles) {
  const TemporaryDirectory temporary;
  write_run(temporary / "a", {.test = {0.1}});
  std::filesystem::remove(temporary / "a/levels.jsonl");
  EXPECT_EQ(read_run(temporary / "a").remarks, std::vector<std::string>{"levels.jsonl is missing"});
}

TEST(RunData, RefusesAFolderOfAnotherKind) {
  const TemporaryDirectory temporary;
  make_directories(temporary / "foreign");
  write_text(temporary / "foreign/config.toml", "[package]\nname = \"other\"\n");
  const std::string message = runtime_error_of([&] { read_run(temporary / "foreign"); });
  EXPECT_TRUE(message.starts_with((temporary / "foreign/config.toml").string())) << message;
  write_text(temporary / "foreign/config.toml", "name = \"other\"\n");
  EXPECT_EQ(
      runtime_error_of([&] { read_run(temporary / "foreign"); }),
      (temporary / "foreign/config.toml").string() + " does not belong to a run: it has no env");
}

TEST(FindRuns, SearchesSubfoldersAndSkipsUnreadableOnes) {
  const TemporaryDirectory temporary;
  write_run(temporary / "set/b", {.test = {0.1}});
  write_run(temporary / "set/deep/a", {.seed = 2, .test = {0.1}});
  write_run(temporary / "set/empty", {.test = {}});
  make_directories(temporary / "nothing");
  const FoundRuns found =
      find_runs({temporary / "set", temporary / "nothing", temporary / "nowhere"});
  ASSERT_EQ(found.runs.size(), 2U);
  EXPECT_EQ(found.runs[0].folder, temporary / "set/b");
  EXPECT_EQ(found.runs[1].folder, temporary / "set/deep/a");
  ASSERT_EQ(found.problems.size(), 3U);
  EXPECT_EQ(found.problems[0],
            (temporary / "nothing").string() + " holds no run (no config.toml in it or below)");
  write_text(temporary / "nothing" / "runs.csv", "");
  EXPECT_EQ(find_runs({temporary / "nothing"}).problems,
            std::vector{(temporary / "nothing").string() +
                        " has runs.csv without settings.toml; plr report --export writes both"});
  EXPECT_EQ(found.problems[1], "there is no folder " + (temporary / "nowhere").string());
  EXPECT_EQ(found.problems[2], (temporary / "set/empty").string() + " has no records yet");
}

TEST(FindRuns, CountsARunOnceHoweverItIsNamed) {
  const TemporaryDirectory temporary;
  write_run(temporary / "a", {.test = {0.1}});
  std::filesystem::create_directory_symlink(temporary / "a", temporary / "link");
  const FoundRuns found =
      find_runs({temporary.path(), temporary / "a/", temporary / "./a", temporary / "link",
                 std::filesystem::relative(temporary / "a")});
  EXPECT_EQ(found.runs.size(), 1U);
  EXPECT_TRUE(found.problems.empty());
}

TEST(FindRuns, CountsACopyOnceAndKeepsTheFurtherOne) {
  const TemporaryDirectory temporary;
  for (const char* name : {"a/x", "b/x"}) write_run(temporary / name, {.test = {0.1, 0.2}});
  write_run(temporary / "c/x", {.test = {0.1, 0.2, 0.3}});  // extended
  write_run(temporary / "a/y", {.seed = 2, .test = {0.1}});
  const FoundRuns found = find_runs({temporary.path()});
  ASSERT_EQ(found.runs.size(), 2U);
  EXPECT_EQ(found.runs[0].folder, temporary / "a/y");
  EXPECT_EQ(found.runs[1].folder, temporary / "c/x");
  EXPECT_EQ(found.problems, (std::vector<std::string>{
                                "1 of 2 runs of " + (temporary / "a").string() +
                                    ", copies of others (equal settings, seeds and returns)",
                                "1 of 1 runs of " + (temporary / "b").string() +
                                    ", copies of others (equal settings, seeds and returns)"}));
}

}  // namespace
}  // namespace plr::report
