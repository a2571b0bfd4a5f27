#include "plr/report/results.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "plr/report/csv_files.h"
#include "plr/report/difficulty.h"
#include "plr/report/export.h"
#include "plr/report/runs_testing.h"
#include "plr/report/training_log.h"
#include "tests/support/temporary_directory.h"

namespace plr::report {
namespace {

namespace fs = std::filesystem;

const std::string kEnv = "minigrid/MultiRoom-N4-Random";

// Two methods with two runs each, one of which is not finished.
void write_runs(const fs::path& folder) {
  write_run(folder / "a",
            {.env = kEnv, .curriculum = "uniform", .seed = 1, .test = {0.1, 1.0 / 3}});
  write_run(folder / "b", {.env = kEnv, .curriculum = "uniform", .seed = 2, .test = {0.2, 0.4}});
  write_run(folder / "c", {.env = kEnv, .seed = 1, .test = {0.3, 0.7}, .behavior_version = 2});
  write_run(
      folder / "d",
      {.env = kEnv, .seed = 2, .test = {0.5, 0.6}, .is_finished = false, .behavior_version = 2});
}

void export_runs(const std::vector<fs::path>& from, const fs::path& to) {
  const FoundRuns found = find_runs(from);
  export_report(to, found.runs, analyze(found.runs), {});
}

class Results : public ::testing::Test {
 protected:
  void SetUp() override {
    write_runs(folder_ / "runs");
    export_runs({folder_ / "runs"}, folder_ / "results");
  }

  // The message with which the results are refused after a file was replaced.
  std::string refusal(std::string_view file, const std::string& text) {
    write_text(folder_ / "results" / file, text);
    try {
      read_results(folder_ / "results");
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryDirectory folder_;
};

TEST_F(Results, AnExportOfAnExportHasTheSameFiles) {
  export_runs({folder_ / "results"}, folder_ / "again");
  std::size_t num_files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "results")) {
    const fs::path twin = folder_ / "again" / entry.path().filename();
    EXPECT_EQ(read_text(entry.path()), read_text(twin)) << twin;
    ++num_files;
  }
  EXPECT_GT(num_files, 20U);
}

TEST_F(Results, HaveTheSettingsAndNumbersOfTheRuns) {
  const std::vector<RunData> runs = read_results(folder_ / "results");
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs[2].folder, folder_ / "runs" / "c");
  EXPECT_EQ(runs[2].settings, read_run(folder_ / "runs" / "c").settings);
  EXPECT_EQ(runs[0].evaluations.back().test_return, 1.0 / 3);  // all digits of the last one
  EXPECT_EQ(runs[2].evaluations.at(0).test_return, 0.3);
  EXPECT_EQ(runs[2].evaluations.at(0).behavior_version, 2);
  EXPECT_EQ(runs[2].updates.back().steps, 200);
  EXPECT_EQ(runs[2].updates.back().episode_return, 0.5);
  EXPECT_EQ(runs[2].curriculum.at(1).by_difficulty, (std::vector<double>{0.25, 0.75}));
  EXPECT_TRUE(runs[2].is_finished);
  EXPECT_FALSE(runs[3].is_finished);
}

TEST_F(Results, AreComparedWithRunFoldersAndCountedOnce) {
  write_run(folder_ / "more" / "e", {.env = kEnv, .seed = 3, .test = {0.3, 0.6}});
  const FoundRuns both = find_runs({folder_ / "results", folder_ / "more"});
  EXPECT_EQ(both.runs.size(), 5U);
  EXPECT_TRUE(both.problems.empty());
  EXPECT_EQ(analyze(both.runs).labels.size(), 2U);

  const FoundRuns twice = find_runs({folder_ / "runs", folder_ / "results"});
  EXPECT_EQ(twice.runs.size(), 4U);
  ASSERT_EQ(twice.problems.size(), 1U);
  EXPECT_EQ(twice.problems[0], "4 of 4 runs of " + (folder_ / "results").string() +
                                   ", copies of others (equal settings, seeds and returns)");
}

TEST_F(Results, AreReadOnlyIfTheirFolderIsNamed) {
  write_run(folder_ / "runs" / "c",  // continued since the export
            {.env = kEnv, .seed = 1, .test = {0.3, 0.7, 0.8}, .behavior_version = 2});
  const FoundRuns found = find_runs({folder_.path()});
  EXPECT_EQ(found.runs.size(), 4U);
  EXPECT_TRUE(found.problems.empty());
}

TEST_F(Results, HaveTheBudgetsOfTheRunsIfTheyDiffer) {
  write_run(folder_ / "runs" / "e", {.env = kEnv, .seed = 3, .test = {0.3, 0.6, 0.7}});
  const fs::path longer = folder_ / "runs" / "f";
  write_run(longer, {.env = kEnv, .seed = 4, .test = {0.3}, .is_finished = false});
  std::string settings = read_text(longer / run::layout::kConfig);
  settings.replace(settings.find("steps = 100"), 11, "steps = 900");  // of which 100 are done
  write_text(longer / run::layout::kConfig, settings);
  export_runs({folder_ / "runs"}, folder_ / "results");
  for (const RunData& run : read_results(folder_ / "results")) {
    EXPECT_EQ(run.settings, read_run(run.folder).settings);
  }
}

TEST_F(Results, KeepTheCountsOfAugmentations) {
  std::vector<RunData> runs = read_results(folder_ / "results");
  runs[2].updates[0].augmentation = "crop:7 flip:2";
  const std::string csv = training_csv(runs, analyze(runs));
  EXPECT_NE(csv.find(",crop:7 flip:2\n"), std::string::npos) << csv;
}

TEST_F(Results, ReplaceAnEarlierExport) {
  const fs::path file = folder_ / "results" / kDifficultyFile;
  write_text(file, "env,method,seed,update,probabilities\nother/env,\"plr\",7,10,0.5 0.5\n");
  export_runs({folder_ / "runs"}, folder_ / "results");
  EXPECT_EQ(read_results(folder_ / "results").size(), 4U);
}

TEST_F(Results, NeedNoLogsOfTrainingAndNoDifficulties) {
  for (const auto name : {kTrainingFile, kDifficultyFile}) fs::remove(folder_ / "results" / name);
  const std::vector<RunData> runs = read_results(folder_ / "results");
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_TRUE(runs[2].updates.empty());
  EXPECT_EQ(runs[2].evaluations.back().test_return, 0.7);
  EXPECT_EQ(analyze(runs).envs[0].methods[1].final.test, (std::vector<double>{0.7}));
}

TEST_F(Results, RefuseADamagedFileWithItsLine) {
  const std::string file = (folder_ / "results" / kEvaluationsFile).string();
  const std::string columns =
      "env,method,seed,steps,test_return,train_return,test_success,test_length\n";
  EXPECT_EQ(refusal(kEvaluationsFile, columns + kEnv + ",plr,9,100,1,1,1,1\n"),
            file + ":2: runs.csv has no such run");
  EXPECT_EQ(refusal(kEvaluationsFile, columns + kEnv + ",plr,1,many,1,1,1,1\n"),
            file + ":2: steps must be a whole number, not 'many'");
  const std::string runs = (folder_ / "results" / kRunsFile).string();
  std::string twice = read_text(runs);
  twice.replace(twice.find("\"uniform\",2,"), 12, "\"uniform\",1,");
  EXPECT_EQ(refusal(kRunsFile, twice),
            runs +
                ":3: another run has the same env, method and seed; report the folders of these "
                "runs instead");
  EXPECT_EQ(refusal(kRunsFile, "run,env,seed\na,b,1\n"),
            (folder_ / "results" / kRunsFile).string() + ": no column method");
}

TEST_F(Results, RefuseAFinishedRunWithoutItsReturn) {
  const fs::path file = folder_ / "results" / kRunsFile;
  std::string text = read_text(file);
  std::size_t cell = text.find('\n') + 1;
  for (int i = 0; i < 7; ++i) cell = text.find(',', cell) + 1;
  text.erase(cell, text.find(',', cell) - cell);
  EXPECT_EQ(refusal(kRunsFile, text), file.string() + ":2: test_return must be a number, not ''");
}

}  // namespace
}  // namespace plr::report
