#include "plr/report/analysis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <stdexcept>

#include "plr/report/runs_testing.h"
#include "plr/report/tables.h"
#include "tests/support/temporary_directory.h"

namespace plr::report {
namespace {

std::vector<RunData> write_and_read(const std::vector<TestRun>& list) {
  const TemporaryDirectory temporary;
  std::vector<RunData> runs;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::filesystem::path folder = temporary / std::to_string(i);
    write_run(folder, list[i]);
    runs.push_back(read_run(folder));
  }
  return runs;
}

// Two seeds of each of two methods.
std::vector<TestRun> four_runs() {
  return {{.curriculum = "uniform", .seed = 1, .test = {0.0, 0.2}},
          {.curriculum = "uniform", .seed = 2, .test = {0.2, 0.4}},
          {.curriculum = "plr", .seed = 2, .test = {0.6, 1.0}, .gap = -0.5},
          {.curriculum = "plr", .seed = 1, .test = {0.4, 0.8}, .gap = -0.5}};
}

TEST(Analysis, AveragesRunsOfAMethodToACurve) {
  const Analysis analysis = analyze(write_and_read(four_runs()));
  EXPECT_EQ(analysis.labels, (std::vector<std::string>{"uniform", "plr"}));
  EXPECT_EQ(analysis.run_labels, (std::vector<std::string>{"uniform", "uniform", "plr", "plr"}));
  EXPECT_EQ(analysis.baseline, 0U);
  ASSERT_EQ(analysis.envs.size(), 1U);
  EXPECT_EQ(analysis.envs[0].steps, (std::vector<double>{100, 200}));
  const Curve& plr = analysis.envs[0].methods[1].curves[Quantity::kTest];
  EXPECT_DOUBLE_EQ(plr.mean[0], 0.5);
  EXPECT_DOUBLE_EQ(plr.mean[1], 0.9);
  EXPECT_NEAR(plr.deviation[1], std::sqrt(0.02), 1e-12);  // of 0.8 and 1
  EXPECT_DOUBLE_EQ(analysis.envs[0].methods[1].curves[Quantity::kGap].mean[0], -0.5);
}

TEST(Analysis, OrdersRunsBySeed) {
  const Analysis analysis = analyze(write_and_read(four_runs()));
  EXPECT_EQ(analysis.envs[0].methods[1].final.test, (std::vector<double>{0.8, 1.0}));
  EXPECT_EQ(analysis.envs[0].methods[1].runs, (std::vector<std::size_t>{3, 2}));
}

TEST(Analysis, AveragesTheCurveOverTraining) {
  const Analysis analysis = analyze(write_and_read(four_runs()));
  EXPECT_NEAR(analysis.envs[0].methods[1].final.auc[0], 0.6, 1e-12);  // from 0.4 to 0.8
}

TEST(Analysis, DividesByTheMeanOfTheBaseline) {
  const Analysis analysis = analyze(write_and_read(four_runs()));
  // Uniform ends at 0.2 and 0.4, 0.3 on average; plr at 0.8 and 1.
  const Summary& relative = analysis.families[0].methods[1].relative;
  EXPECT_EQ(relative.count, 2U);
  EXPECT_NEAR(relative.mean, 0.9 / 0.3, 1e-12);
  EXPECT_NEAR(relative.deviation, std::sqrt(0.02) / 0.3, 1e-12);
}

TEST(Analysis, MarksMethodsThatAreSignificantlyBetterThanTheBaseline) {
  // 0.25 against 0.95 with variances of 0.005: t = 9.9, 2 degrees of freedom, p = 0.01.
  std::vector<TestRun> list = four_runs();
  list[1].test = {0.2, 0.3};
  list[3].test = {0.4, 0.9};
  const Analysis analysis = analyze(write_and_read(list));
  EXPECT_TRUE(analysis.envs[0].methods[1].significance.test);
  EXPECT_FALSE(analysis.envs[0].methods[0].significance.test);
  EXPECT_TRUE(analysis.envs[0].methods[1].significance.gap);  // -0.5 against 0, no deviation
}

TEST(Analysis, MarksTrainingReturnsAndTheirCurves) {
  // Training returns of uniform: 0.2 and 0.3; of plr: 0.9 and 1. The areas are 0.1, 0.25, 0.65,
  // 0.8.
  std::vector<TestRun> list = four_runs();
  list[1].test = {0.2, 0.3};
  list[2].gap = list[3].gap = 0;
  list[3].test = {0.4, 0.9};
  Analysis analysis = analyze(write_and_read(list));
  EXPECT_TRUE(analysis.envs[0].methods[1].significance.train);
  EXPECT_TRUE(analysis.envs[0].methods[1].significance.train_auc);
  EXPECT_NEAR(analysis.envs[0].methods[1].final.train_auc[1], 0.8, 1e-12);
  EXPECT_TRUE(training_returns(analysis).rows.at(0).cells.at(1).has_star);
  EXPECT_TRUE(training_returns(analysis).rows.at(0).cells.at(1).has_triangle);
  list[2].gap = list[3].gap = -0.7;  // the test returns stay
  analysis = analyze(write_and_read(list));
  EXPECT_TRUE(analysis.envs[0].methods[1].significance.test);
  EXPECT_FALSE(analysis.envs[0].methods[1].significance.train);
  EXPECT_FALSE(analysis.envs[0].methods[1].significance.train_auc);
}

TEST(Analysis, AveragesAndTestsFamiliesWithAndWithoutNormalization) {
  // Bigfish has returns from 1 to 40, coinrun from 5 to 10. Means over the two games, by run:
  // uniform (10.5 + 5) / 2 and (10.7 + 5.2) / 2, plr (20.5 + 7.5) / 2 and (20.7 + 7.7) / 2.
  std::vector<TestRun> list;
  for (const int seed : {1, 2}) {
    const double more = 0.2 * (seed - 1);
    for (const bool is_plr : {false, true}) {
      const std::string curriculum = is_plr ? "plr" : "uniform";
      const double gap = is_plr ? 0.5 + more : 2 + more;
      list.push_back({.env = "procgen/bigfish",
                      .curriculum = curriculum,
                      .seed = seed,
                      .test = {(is_plr ? 20.5 : 10.5) + more},
                      .gap = gap});
      list.push_back({.env = "procgen/coinrun",
                      .curriculum = curriculum,
                      .seed = seed,
                      .test = {(is_plr ? 7.5 : 5) + more},
                      .gap = gap});
    }
  }
  const Analysis analysis = analyze(write_and_read(list));
  const FamilyMethod& plr = analysis.families.at(0).methods.at(1);
  const double normalized = (1.0 / 39 + 1.0 / 5) / 2;  // a difference of 1 in both games
  EXPECT_EQ(plr.unnormalized.test.count, 2U);
  EXPECT_NEAR(plr.unnormalized.test.mean, 14.1, 1e-12);
  EXPECT_NEAR(plr.unnormalized.test.deviation, 0.2 / std::sqrt(2), 1e-12);
  EXPECT_NEAR(plr.unnormalized.gap.mean, 0.6, 1e-12);
  EXPECT_NEAR(plr.unnormalized.train.mean, 14.7, 1e-12);
  EXPECT_NEAR(plr.normalized.test.mean, 0.5 + 0.1 * normalized, 1e-12);  // 0.5 in the first runs
  EXPECT_NEAR(plr.normalized.gap.mean, 0.6 * normalized, 1e-12);
  EXPECT_NEAR(plr.normalized.train.mean, 0.5 + 0.7 * normalized, 1e-12);
  for (const FamilyNumbers& numbers : {plr.normalized, plr.unnormalized}) {
    EXPECT_TRUE(numbers.significance.test);
    EXPECT_TRUE(numbers.significance.train);
    EXPECT_TRUE(numbers.significance.gap);
  }
  const FamilyMethod& uniform = analysis.families[0].methods[0];
  EXPECT_FALSE(uniform.normalized.significance.test || uniform.normalized.significance.gap);

  const auto row_names = [](const Table& table) {
    std::vector<std::string> names;
    for (const Row& row : table.rows) names.push_back(row.name);
    return names;
  };
  const Table returns = final_returns(analysis);
  EXPECT_EQ(row_names(returns),
            (std::vector<std::string>{
                "bigfish", "coinrun", "Procgen (easy): relative to uniform (%)",
                "Procgen (easy): mean normalized return (%)", "Procgen (easy): mean return"}));
  for (const Row& row : std::span(returns.rows).subspan(2)) {  // of the family
    EXPECT_TRUE(row.cells[1].has_star && row.cells[1].is_bold) << row.name;
    EXPECT_FALSE(row.cells[0].has_star || row.cells[0].is_bold) << row.name;
  }
  const Table gaps = final_gaps(analysis);
  EXPECT_EQ(row_names(gaps), (std::vector<std::string>{"bigfish", "coinrun",
                                                       "Procgen (easy): mean normalized gap (%)",
                                                       "Procgen (easy): mean gap"}));
  EXPECT_NEAR(gaps.rows[3].cells[1].value.mean, 0.6, 1e-12);
  EXPECT_TRUE(gaps.rows[3].cells[1].has_star);
}

TEST(Analysis, UsesUnfinishedRunsOnlyIfNoRunIsFinished) {
  std::vector<TestRun> list = four_runs();
  list[0].is_finished = false;
  EXPECT_EQ(analyze(write_and_read(list)).envs[0].methods[0].final.test, std::vector<double>{0.4});
  for (TestRun& run : list) run.is_finished = false;
  const Analysis analysis = analyze(write_and_read(list));
  EXPECT_FALSE(analysis.is_final);
  EXPECT_EQ(analysis.envs[0].methods[0].final.test.size(), 2U);
}

TEST(Analysis, TablesNoteThatNoRunHasBeenEvaluated) {
  std::vector<RunData> runs = write_and_read({{.test = {0.5}, .is_finished = false}});
  runs[0].evaluations.clear();
  const Analysis analysis = analyze(runs);
  EXPECT_TRUE(final_returns(analysis).note.starts_with("No run has been evaluated yet. "));
}

TEST(Analysis, DoesNotExtrapolateCurves) {
  // One run is evaluated at 100 and 200, the other at 100, 200 and 300.
  const Analysis analysis =
      analyze(write_and_read({{.seed = 1, .test = {0, 1}}, {.seed = 2, .test = {0, 0, 0}}}));
  // Their numbers of steps differ, so they have different labels.
  ASSERT_EQ(analysis.labels.size(), 2U);
  const Curve& shorter = analysis.envs[0].methods[0].curves[Quantity::kTest];
  EXPECT_EQ(shorter.count, (std::vector<std::size_t>{1, 1, 0}));
  EXPECT_TRUE(std::isnan(shorter.mean[2]));
}

TEST(Analysis, AveragesAFamilyOverItsEnvironments) {
  std::vector<TestRun> list = four_runs();
  for (TestRun run : four_runs()) {
    run.env = "minigrid/MultiRoom-N4-Random";
    for (double& value : run.test) value = 0;
    list.push_back(run);
  }
  const Analysis analysis = analyze(write_and_read(list));
  ASSERT_EQ(analysis.families.size(), 1U);
  EXPECT_EQ(analysis.families[0].name, "MiniGrid");
  // Half of 0.9: the other environment has 0.
  EXPECT_NEAR(analysis.families[0].methods[1].curves[Quantity::kTest].mean[1], 0.45, 1e-12);
  EXPECT_NEAR(analysis.families[0].methods[1].normalized.test.mean, 0.45, 1e-12);
}

TEST(Analysis, TheCurveOfAFamilyHasAllRunsOfEachEnvironment) {
  const std::string other = "minigrid/MultiRoom-N4-Random";
  const Analysis analysis =
      analyze(write_and_read({{.seed = 1, .test = {0.2, 0.4}},
                              {.seed = 2, .test = {0.4, 0.8}},
                              {.env = other, .seed = 1, .test = {0.1, 0.2}}}));
  const FamilyMethod& plr = analysis.families.at(0).methods.at(0);
  EXPECT_NEAR(plr.curves[Quantity::kTest].mean.at(1), (0.6 + 0.2) / 2, 1e-12);
  EXPECT_EQ(plr.curves[Quantity::kTest].count.at(1), 1U);
  EXPECT_NEAR(plr.normalized.test.mean, (0.6 + 0.2) / 2, 1e-12);  // the final number is the same
}

TEST(Analysis, TheCurveOfAFamilyEndsWithTheShortestOfItsEnvironments) {
  const Analysis analysis = analyze(
      write_and_read({{.env = "minigrid/MiniGrid-DoorKey-6x6-v0", .test = {0.0, 0.2, 0.4, 0.6}},
                      {.env = "minigrid/MultiRoom-N4-Random", .test = {0.2, 0.4}}}));
  ASSERT_EQ(analysis.families.size(), 1U);
  EXPECT_EQ(analysis.families[0].steps, (std::vector<double>{100, 200}));
}

TEST(Analysis, AFamilyHasAMeanIfAMethodHasRunsOfAllItsEnvironments) {
  const TestRun plr{.env = "maze/random-25", .curriculum = "plr", .test = {0.5}};
  TestRun other{.env = "maze/random-60", .curriculum = "uniform", .test = {0.5}};
  EXPECT_FALSE(analyze(write_and_read({plr})).families.at(0).has_mean());
  EXPECT_FALSE(analyze(write_and_read({plr, other})).families.at(0).has_mean());
  other.curriculum = "plr";
  EXPECT_TRUE(analyze(write_and_read({plr, other})).families.at(0).has_mean());
}

TEST(Analysis, NormalizesProcgenByTheRangeOfEachGameAndMode) {
  // Returns of easy bigfish are between 1 and 40, of hard bigfish between 0 and 40.
  const Analysis analysis =
      analyze(write_and_read({{.env = "procgen/bigfish", .seed = 1, .test = {20.5}},
                              {.env = "procgen/bigfish-hard", .seed = 1, .test = {20}}}));
  ASSERT_EQ(analysis.families.size(), 2U);
  EXPECT_EQ(analysis.families[0].name, "Procgen (easy)");
  EXPECT_EQ(analysis.families[1].name, "Procgen (hard)");
  EXPECT_DOUBLE_EQ(analysis.families[0].methods[0].normalized.test.mean, 0.5);
  EXPECT_DOUBLE_EQ(analysis.families[1].methods[0].normalized.test.mean, 0.5);
}

TEST(Analysis, RejectsAnUnknownBaseline) {
  try {
    analyze(write_and_read(four_runs()), "unifrm");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "no run has the method 'unifrm'; did you mean uniform?");
  }
}

}  // namespace
}  // namespace plr::report
