#include "plr/experiment/plan_text.h"

#include <gtest/gtest.h>

#include "plr/experiment/plans_testing.h"
#include "tests/support/temporary_directory.h"

namespace plr::experiment {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(PlanText, ListsRunsWithTheirStateAndCommand) {
  const TemporaryDirectory folder;
  const Plan plan = small_plan(folder.path());
  write_started_run(folder / "my runs/empty-5x5-s1", plan.runs[0], 128, false);
  const std::string text =
      plan_text(plan, make_run_jobs(plan, folder / "my runs"), folder / "my runs", {});
  EXPECT_TRUE(text.starts_with("small: two runs\n\nresumes "));
  EXPECT_TRUE(contains(text,
                       "\nnew            256 steps            empty-5x5-s2\n"
                       "          plr train --preset small --env "));
  EXPECT_TRUE(contains(text, " --out '" + (folder / "my runs/empty-5x5-s2").string() + "'\n"));
  EXPECT_TRUE(contains(text, "\n2 runs in " + (folder / "my runs").string() +
                                 ", 384 steps left; for an estimate of the time run a rehearsal"));
}

TEST(PlanText, HasTheStepsThatAFinishedRunHas) {
  const TemporaryDirectory folder;
  const Plan plan = small_plan(folder.path());
  write_started_run(folder / "runs/empty-5x5-s1", plan.runs[0], 512, true);  // 256 are planned
  const std::string text =
      plan_text(plan, make_run_jobs(plan, folder / "runs"), folder / "runs", {});
  EXPECT_TRUE(contains(text, "finished       512 steps            empty-5x5-s1\n")) << text;
}

TEST(PlanText, EstimatesTheTime) {
  const TemporaryDirectory folder;
  const Plan plan = small_plan(folder.path());
  const std::string text = plan_text(plan, make_run_jobs(plan, "runs"), "runs",
                                     {.steps_per_second = 1, .max_running = 2});
  // 2 x 256 steps at one per second are 8.5 minutes, two at a time half of that.
  EXPECT_TRUE(
      contains(text, "512 steps left; 9 min in total at 1 steps/s, 2 at a time: about 5 min\n"));
}

TEST(LoggedSpeed, IsTheMeanOverRunsAndRehearsals) {
  const TemporaryDirectory folder;
  const Plan plan = small_plan(folder.path());
  EXPECT_EQ(logged_speed(plan, folder / "runs/small"), 0);
  make_directories(folder / "runs/small/empty-5x5-s1");
  make_directories(folder / "runs/small-scale0.5/empty-5x5-s2");
  make_directories(folder / "runs/other/empty-5x5-s1");
  write_text(folder / "runs/small/empty-5x5-s1/log.jsonl",
             "{\"steps\": 64, \"steps_per_second\": 10}\n");
  write_text(folder / "runs/small-scale0.5/empty-5x5-s2/log.jsonl",
             "{\"steps\": 64, \"steps_per_second\": 30}\n");
  write_text(folder / "runs/other/empty-5x5-s1/log.jsonl",
             "{\"steps\": 64, \"steps_per_second\": 1000}\n");
  EXPECT_EQ(logged_speed(plan, folder / "runs/small"), 20);
}

}  // namespace
}  // namespace plr::experiment
