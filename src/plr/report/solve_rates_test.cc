#include "plr/report/solve_rates.h"

#include <gtest/gtest.h>

#include "plr/report/runs_testing.h"
#include "plr/report/statistics_json.h"
#include "tests/support/temporary_directory.h"

namespace plr::report {
namespace {

// Two levels of ten episodes each, of which so many were solved.
std::vector<run::TestLevel> solved(std::int64_t rooms, std::int64_t maze) {
  return {{.name = "Rooms", .episodes = 10, .solved = rooms, .mean_return = 0.5},
          {.name = "Maze", .episodes = 10, .solved = maze, .mean_return = 0.5}};
}

class SolveRatesTest : public ::testing::Test {
 protected:
  // A run with two evaluations, of which the second is given.
  void add_run(const std::string& curriculum, int seed, const std::vector<run::TestLevel>& last,
               const std::string& env = "maze/random-25") {
    write_run(folder_ / (curriculum + std::to_string(seed) + env.substr(5)),
              {.env = env,
               .curriculum = curriculum,
               .seed = seed,
               .test = {0.1, 0.2},
               .settings = {{"test_env", "maze/JaxUED-8"}},
               .test_levels = {solved(0, 0), last}});
  }

  std::vector<SolveRates> rates() const {
    const std::vector<RunData> runs = find_runs({folder_ / "."}).runs;
    return solve_rates(runs, analyze(runs));
  }

  TemporaryDirectory folder_;
};

TEST_F(SolveRatesTest, AreFractionsPerLevelAndRunAndTheirMeans) {
  add_run("uniform", 1, solved(2, 4));
  add_run("uniform", 2, solved(6, 8));
  add_run("plr", 1, solved(10, 9));
  const std::vector<SolveRates> all = rates();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].test_env, "maze/JaxUED-8");
  EXPECT_EQ(all[0].levels, (std::vector<std::string>{"Rooms", "Maze"}));
  ASSERT_EQ(all[0].methods.size(), 2U);
  const SolveMethod& uniform = all[0].methods[0];
  EXPECT_EQ(uniform.name, "uniform");
  EXPECT_EQ(uniform.rates, (Matrix{{0.2, 0.6}, {0.4, 0.8}}));
  EXPECT_NEAR(uniform.means[0], 0.3, 1e-12);
  EXPECT_NEAR(uniform.means[1], 0.7, 1e-12);
  EXPECT_NEAR(uniform.mean->value, 0.5, 1e-12);
  // The lowest and the highest of four rates are cut: (0.4 + 0.6) / 2.
  EXPECT_NEAR(uniform.interquartile->value, 0.5, 1e-12);
  // Resamples of two runs per level have means from (0.2 + 0.4) / 2 to (0.6 + 0.8) / 2.
  ASSERT_TRUE(uniform.mean->interval);
  EXPECT_NEAR(uniform.mean->interval->low, 0.3, 1e-12);
  EXPECT_NEAR(uniform.mean->interval->high, 0.7, 1e-12);
  // A single run has no interval.
  EXPECT_NEAR(all[0].methods[1].mean->value, 0.95, 1e-12);
  EXPECT_FALSE(all[0].methods[1].mean->interval);
}

TEST_F(SolveRatesTest, HaveCurvesOverSteps) {
  add_run("uniform", 1, solved(2, 4));
  add_run("uniform", 2, solved(6, 8));
  const SolveRates all = rates().at(0);
  EXPECT_EQ(all.steps, (std::vector<double>{100, 200}));
  EXPECT_EQ(all.methods[0].by_steps.mean[0], 0);
  EXPECT_NEAR(all.methods[0].by_steps.mean[1], 0.5, 1e-12);
  EXPECT_EQ(all.methods[0].by_steps.count[1], 2U);
  EXPECT_TRUE(all.updates.empty());
}

TEST_F(SolveRatesTest, HaveCurvesOverGradientUpdatesWhereRolloutsAreSkipped) {
  add_run("uniform", 1, solved(2, 4));
  write_run(folder_ / "robust", {.env = "maze/random-25",
                                 .curriculum = "plr",
                                 .test = {0, 0, 0},
                                 .settings = {{"test_env", "maze/JaxUED-8"}},
                                 .test_levels = {solved(0, 0), solved(5, 5), solved(10, 10)},
                                 .gradient_updates = {1, 1, 2}});
  const SolveRates all = rates().at(0);
  // Two evaluations after the first gradient update: the later one counts. Without the field every
  // update is a gradient update.
  EXPECT_EQ(all.updates, (std::vector<double>{1, 2}));
  EXPECT_NEAR(all.methods[0].by_updates.mean[1], 0.3, 1e-12);
  EXPECT_NEAR(all.methods[1].by_updates.mean[0], 0.5, 1e-12);
  EXPECT_NEAR(all.methods[1].by_updates.mean[1], 1, 1e-12);
}

TEST_F(SolveRatesTest, HaveCurvesThatEndWithTheFirstFinishedRun) {
  for (const int seed : {1, 2}) {
    write_run(folder_ / std::to_string(seed),
              {.env = "maze/random-25",
               .curriculum = "plr",
               .seed = seed,
               .test = {0, 0, 0},
               .settings = {{"test_env", "maze/JaxUED-8"}},
               .test_levels = {solved(0, 0), solved(5, 5), solved(10, 10)},
               .gradient_updates = {1, 2, seed == 1 ? 2 : 3}});
  }
  const SolveRates all = rates().at(0);
  EXPECT_EQ(all.updates, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(all.methods[0].by_updates.count, (std::vector<std::size_t>{2, 2, 0}));
}

TEST_F(SolveRatesTest, CompareRunsOfDifferentTrainingEnvironments) {
  add_run("uniform", 1, solved(2, 4));
  add_run("uniform", 1, solved(6, 8), "maze/random-60");
  const SolveRates all = rates().at(0);
  ASSERT_EQ(all.methods.size(), 2U);
  EXPECT_EQ(all.methods[0].name, "uniform (random-25)");
  EXPECT_EQ(all.methods[1].name, "uniform (random-60)");
}

TEST_F(SolveRatesTest, AreThoseOfFinishedRunsIfThereAreAny) {
  add_run("uniform", 1, solved(2, 4));
  write_run(folder_ / "unfinished", {.env = "maze/random-25",
                                     .curriculum = "uniform",
                                     .seed = 2,
                                     .test = {0.1, 0.2},
                                     .is_finished = false,
                                     .settings = {{"test_env", "maze/JaxUED-8"}},
                                     .test_levels = {solved(0, 0), solved(10, 10)}});
  const SolveMethod method = rates().at(0).methods.at(0);
  EXPECT_EQ(method.rates, (Matrix{{0.2}, {0.4}}));
  EXPECT_EQ(method.by_steps.count[1], 2U);
}

TEST_F(SolveRatesTest, ArePartOfTheStatistics) {
  add_run("uniform", 1, solved(2, 4));
  add_run("uniform", 2, solved(6, 8));
  const std::vector<RunData> runs = find_runs({folder_ / "."}).runs;
  const auto json = statistics_json(runs, analyze(runs)).at("solve_rates").at(0);
  EXPECT_EQ(json.at("levels").at(1), "Maze");
  const auto& method = json.at("methods").at("uniform");
  EXPECT_EQ(method.at("rates").at(1).at(0), 0.4);
  EXPECT_NEAR(method.at("mean").at("value").get<double>(), 0.5, 1e-12);
  EXPECT_EQ(method.at("interquartile_mean").at("interval").size(), 2U);
}

TEST_F(SolveRatesTest, AreEmptyWithoutNamedLevels) {
  write_run(folder_ / "plain", {.test = {0.1, 0.2}});
  EXPECT_TRUE(rates().empty());
}

}  // namespace
}  // namespace plr::report
