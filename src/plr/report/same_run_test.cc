#include "plr/report/same_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plr::report {
namespace {

// A run in the folder runs/a with evaluations at 100, 200, ... steps.
RunData run_of(const std::vector<double>& returns) {
  RunData run;
  run.folder = "runs/a";
  run.settings = {{"env", "procgen/bigfish"},
                  {"seed", "1"},
                  {"steps", "900"},
                  {"num_workers", "2"},
                  {"gamma", "0.9"}};
  for (const double value : returns) {
    run::EvalRecord& evaluation = run.evaluations.emplace_back();
    evaluation.steps = 100 * static_cast<std::int64_t>(run.evaluations.size());
    evaluation.test_return = value;
    evaluation.train_return = NAN;
    run.updates.push_back({.update = evaluation.steps, .steps = evaluation.steps});
  }
  return run;
}

RunData with(RunData run, const std::string& name, const std::string& value) {
  run.settings[name] = value;
  return run;
}

bool is_same(const RunData& a, const RunData& b) {
  EXPECT_EQ(is_same_run(a, b), is_same_run(b, a));
  return is_same_run(a, b);
}

TEST(SameRun, HasEqualSettingsExceptThoseOfTheMachine) {
  const RunData run = run_of({1, 2});
  EXPECT_TRUE(is_same(run, run));
  EXPECT_TRUE(is_same(run, with(run, "num_workers", "8")));
  EXPECT_TRUE(is_same(run, with(run, "threads", "8")));
  for (const char* name : {"env", "seed", "gamma", "clip"}) {
    EXPECT_FALSE(is_same(run, with(run, name, "3"))) << name;
  }
}

TEST(SameRun, HasAnotherBudgetOnlyInAFolderOfTheSameName) {
  RunData longer = with(run_of({1, 2, 3}), "steps", "1800");
  longer.folder = "other/a";
  EXPECT_TRUE(is_same(run_of({1, 2}), longer));
  longer.folder = "runs/b";  // such as of a sweep over budgets
  EXPECT_FALSE(is_same(run_of({1, 2}), longer));
}

TEST(SameRun, HasTheSameReturnsUpToTheDigitsOfAnExport) {
  const RunData run = run_of({1, 2, 1.0 / 3});
  EXPECT_TRUE(is_same(run, run_of({1, 2})));
  EXPECT_TRUE(is_same(run, run_of({1, 2, 0.333333})));
  EXPECT_FALSE(is_same(run, run_of({1, 2, 0.3334})));
  EXPECT_FALSE(is_same(run, run_of({1, NAN})));
  RunData later = run_of({5, 5, 5});  // evaluated at other steps
  for (run::EvalRecord& evaluation : later.evaluations) evaluation.steps += 50;
  EXPECT_TRUE(is_same(run, later));
  RunData finished = run_of({1, 7});  // by the final evaluation, of more episodes
  finished.evaluations.back().is_final = true;
  EXPECT_TRUE(is_same(run, finished));
}

TEST(SameRun, TheFinishedOrLongerEntryIsFurther) {
  RunData finished = run_of({1});
  finished.is_finished = true;
  EXPECT_TRUE(is_further(finished, run_of({1, 2})));
  EXPECT_FALSE(is_further(run_of({1, 2}), finished));
  EXPECT_TRUE(is_further(run_of({1, 2}), run_of({1})));
  EXPECT_FALSE(is_further(run_of({1}), run_of({1})));
}

}  // namespace
}  // namespace plr::report
