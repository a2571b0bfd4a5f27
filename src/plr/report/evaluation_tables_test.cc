#include "plr/report/evaluation_tables.h"

#include <gtest/gtest.h>

#include "plr/report/export.h"
#include "plr/report/runs_testing.h"
#include "plr/report/table_formats.h"
#include "tests/support/temporary_directory.h"

namespace plr::report {
namespace {

class EvaluationTablesTest : public ::testing::Test {
 protected:
  // One level, solved in so many of ten episodes, and success on a hundred levels: those before
  // `num_failed` were never solved, the others always.
  void add_run(int seed, std::int64_t num_solved, std::size_t num_failed) {
    TestRun run{
        .env = "maze/random-25",
        .curriculum = "uniform",
        .seed = seed,
        .test = {0.1},
        .settings = {{"test_env", "maze/Labyrinth"}},
        .test_levels = {
            {{.name = "Labyrinth", .episodes = 10, .solved = num_solved, .mean_return = 0.1}}}};
    for (std::size_t level = 0; level < 100; ++level) {
      const std::int64_t successes = level < num_failed ? 0 : 10;
      run.cvar.push_back({level, 10, successes, 10, successes});
    }
    write_run(folder_ / std::to_string(seed), run);
    runs_ = find_runs({folder_ / "."}).runs;
  }

  std::vector<Table> tables() const { return evaluation_tables(runs_, analyze(runs_)); }

  TemporaryDirectory folder_;
  std::vector<RunData> runs_;
};

TEST_F(EvaluationTablesTest, ShowMeansAndStandardErrors) {
  add_run(1, 2, 0);
  add_run(2, 6, 10);
  const std::vector<Table> all = tables();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id, "solve-rates-labyrinth");
  EXPECT_EQ(all[0].columns, (std::vector<std::string>{"uniform"}));
  ASSERT_EQ(all[0].rows.size(), 4U);
  EXPECT_EQ(all[0].rows[0].name, "Labyrinth");
  // 20 and 60 %: deviation 28.28, error 20.
  EXPECT_EQ(all[0].rows[0].cells[0].text, "40.0 ± 20.0");
  EXPECT_NEAR(all[0].rows[0].cells[0].value.deviation, 28.2843, 1e-4);
  EXPECT_EQ(all[0].rows[2].cells[0].text, "40.0 [20.0, 60.0]");

  EXPECT_EQ(all[1].id, "cvar");
  // 0.01 and 0.1 % of a hundred levels are none. Of the worst 10 %, 100 and 0 % succeed.
  EXPECT_EQ(all[1].rows[0].name, "worst 1 %");
  EXPECT_EQ(all[1].rows[3].name, "worst 10 %");
  EXPECT_EQ(all[1].rows[3].cells[0].text, "50.00 ± 50.00");
  EXPECT_EQ(all[1].rows.back().cells[0].text, "95.00 ± 5.00");
}

TEST_F(EvaluationTablesTest, ASingleRunHasNoError) {
  add_run(1, 2, 0);
  EXPECT_EQ(tables()[0].rows[0].cells[0].text, "20.0");
  EXPECT_EQ(tables()[0].rows[2].cells[0].text, "20.0");
}

TEST_F(EvaluationTablesTest, NoteNamesTheNumberOfUnfinishedRuns) {
  add_run(1, 2, 0);
  EXPECT_TRUE(tables()[0].note.starts_with("Mean and standard error over runs. Bold"));
  write_run(folder_ / "2", {.env = runs_[0].env(),
                            .curriculum = "uniform",
                            .seed = 2,
                            .test = {0.1},
                            .is_finished = false,
                            .settings = {{"test_env", runs_[0].setting("test_env")}},
                            .test_levels = {{{.name = "Labyrinth", .episodes = 1, .solved = 1}}}});
  runs_ = find_runs({folder_ / "."}).runs;
  EXPECT_TRUE(tables()[0].note.starts_with(
      "Mean and standard error over runs; one run is not finished and left out. Bold"));
}

TEST_F(EvaluationTablesTest, RunsOnOtherLevelsAreNotCompared) {
  add_run(1, 2, 0);
  TestRun other{.env = "maze/random-25", .seed = 2, .test = {0.1}};
  other.cvar = {{.level = 7, .episodes_a = 1, .successes_a = 1, .episodes_b = 1, .successes_b = 1}};
  write_run(folder_ / "other", other);
  runs_ = find_runs({folder_ / "."}).runs;
  const std::vector<Table> all = tables();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].title, "Success (%) on the worst of 100 solvable levels");
  EXPECT_EQ(all[2].title, "Success (%) on the worst of 1 solvable levels");
  EXPECT_EQ(all[2].id, "cvar-2");
}

TEST_F(EvaluationTablesTest, FiguresAndTablesAreExported) {
  add_run(1, 2, 0);
  add_run(2, 6, 10);
  export_report(folder_ / "out", runs_, analyze(runs_), {});
  for (const char* file : {"solve-rates-labyrinth.csv", "solve-rates-labyrinth.md", "cvar.tex",
                           "solve-rates-labyrinth-steps.svg", "cvar.svg"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / file)) << file;
  }
  const std::string svg = read_text(folder_ / "out" / "cvar.svg");
  EXPECT_NE(svg.find(">50</text>"), std::string::npos);  // the name of a point
}

TEST_F(EvaluationTablesTest, AreEmptyForOtherRuns) {
  write_run(folder_ / "plain", {.test = {0.1, 0.2}});
  runs_ = find_runs({folder_ / "."}).runs;
  EXPECT_TRUE(tables().empty());
  EXPECT_TRUE(evaluation_figures(runs_, analyze(runs_)).empty());
}

}  // namespace
}  // namespace plr::report
