#include "plr/experiment/run_job.h"

#include <gtest/gtest.h>

#include "plr/experiment/plans_testing.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr::experiment {
namespace {

using Words = std::vector<std::string>;

TEST(RunJob, StartsARunThatHasNoFolder) {
  const TemporaryDirectory folder;
  const Plan plan = small_plan(folder.path());
  const RunJob job = make_run_jobs(plan, folder / "runs")[1];
  EXPECT_FALSE(job.is_finished());
  EXPECT_EQ(job.steps, 256);
  EXPECT_EQ(job.steps_left(), 256);
  const Words words = job.command("plr");
  EXPECT_EQ(Words(words.begin(), words.begin() + 4), (Words{"plr", "train", "--preset", "small"}));
  EXPECT_EQ(Words(words.end() - 2, words.end()),
            (Words{"--out", (folder / "runs/empty-5x5-s2").string()}));
}

TEST(RunJob, ResumesARunThatHasStarted) {
  const TemporaryDirectory folder;
  const Plan plan = small_plan(folder.path());
  write_started_run(folder / "runs/empty-5x5-s1", plan.runs[0], 128, false);
  const RunJob job = make_run_jobs(plan, folder / "runs")[0];
  EXPECT_EQ(job.steps_left(), 128);
  EXPECT_EQ(job.command("plr"), (Words{"plr", "train", "--resume",
                                       (folder / "runs/empty-5x5-s1").string(), "--steps", "256"}));
}

TEST(RunJob, IsFinishedAfterTheFinalEvaluationUnlessThePlanIsLonger) {
  const TemporaryDirectory folder;
  Plan plan = small_plan(folder.path());
  write_started_run(folder / "runs/empty-5x5-s1", plan.runs[0], 256, true);
  EXPECT_TRUE(make_run_jobs(plan, folder / "runs")[0].is_finished());
  plan.runs[0].config.schedule.steps = 320;
  EXPECT_FALSE(make_run_jobs(plan, folder / "runs")[0].is_finished());
}

TEST(RunJob, RefusesAFolderWithAnotherRun) {
  const TemporaryDirectory folder;
  Plan plan = small_plan(folder.path());
  write_started_run(folder / "runs/empty-5x5-s1", plan.runs[0], 64, false);
  plan.runs[0].config.replay.temperature = 0.7;
  EXPECT_EQ(invalid_argument_of([&] { make_run_jobs(plan, folder / "runs"); }),
            (folder / "runs/empty-5x5-s1").string() +
                " holds another run: temperature is 0.1, not 0.7; choose another folder with "
                "--out");
}

}  // namespace
}  // namespace plr::experiment
