// Generators and solver.
#include "plr/maze/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plr/maze/chi_square_testing.h"
#include "plr/maze/solver.h"
#include "plr/maze/text_form.h"
#include "tests/support/golden.h"

namespace plr::maze {
namespace {

using nlohmann::json;

Random stream(std::uint64_t seed) { return Streams(seed).named("test"); }

std::map<int, int> histogram_of(const json& record) {
  std::map<int, int> histogram;
  for (const auto& [value, count] : record.items()) histogram[std::stoi(value)] = count;
  return histogram;
}

TEST(GoldenMazeGenerator, RandomLevelsHaveTheRecordedFrequencies) {
  for (const json& record : plr::testing::golden_lines("maze/generator.jsonl.gz")) {
    const int num_walls = record["n_walls"];
    SCOPED_TRACE(num_walls);
    const int num_levels = record["levels"];
    const int num_searched = record["searched"];
    Random random = stream(1);
    Solver solver;
    std::map<int, int> walls;
    std::map<int, int> directions;
    std::vector<int> lengths;
    double moves = 0;
    for (int i = 0; i < num_levels; ++i) {
      const Level level = random_level({}, num_walls, random);
      ++walls[level.walls.count()];
      ++directions[static_cast<int>(level.direction)];
      if (i >= num_searched) continue;
      if (const std::optional<int> length = solver.num_actions(level)) {
        lengths.push_back(*length);
        moves += *solver.num_moves(level);
      }
    }
    EXPECT_LT(two_sample_deviation(walls, histogram_of(record["distinct_walls_histogram"])),
              kMaxDeviation);
    std::map<int, int> recorded_directions;
    for (int d = 0; d < 4; ++d) {
      recorded_directions[d] = record["directions"][static_cast<std::size_t>(d)];
    }
    EXPECT_LT(two_sample_deviation(directions, recorded_directions), kMaxDeviation);

    // The difference of two shares or means of this many draws, in standard deviations.
    const double count = num_searched;
    const double solvable = static_cast<double>(lengths.size()) / count;
    const double deviation = std::sqrt(2 * solvable * (1 - solvable) / count);
    EXPECT_NEAR(solvable, record["solvable"].get<double>(), 5 * deviation);
    double sum = 0;
    double squares = 0;
    for (const int length : lengths) {
      sum += length;
      squares += static_cast<double>(length) * length;
    }
    const auto solved = static_cast<double>(lengths.size());
    const double mean = sum / solved;
    const double mean_deviation = std::sqrt(2 * (squares / solved - mean * mean) / solved);
    EXPECT_NEAR(mean, record["actions_mean_of_solvable"].get<double>(), 5 * mean_deviation);
    EXPECT_NEAR(moves / solved, record["moves_mean_of_solvable"].get<double>(), 5 * mean_deviation);
    std::sort(lengths.begin(), lengths.end());
    const std::vector<double> shares = {0.1, 0.5, 0.9};
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const double quantile = lengths[static_cast<std::size_t>(shares[i] * solved)];
      EXPECT_NEAR(quantile, record["actions_quantiles_of_solvable_10_50_90_99"][i].get<double>(),
                  1);
    }
  }
}

TEST(MazeGenerator, RandomLevelsPutEverythingEverywhere) {
  Random random = stream(2);
  std::vector<int> walls(169);
  std::vector<int> agents(169);
  std::vector<int> goals(169);
  for (int i = 0; i < 40'000; ++i) {
    const Level level = random_level({}, 25, random);
    ASSERT_EQ(defect_of(level), nullptr);
    for (int cell = 0; cell < 169; ++cell) {
      walls[static_cast<std::size_t>(cell)] += level.walls.at(level.cell(cell)) ? 1 : 0;
    }
    ++agents[static_cast<std::size_t>(level.index(level.agent))];
    ++goals[static_cast<std::size_t>(level.index(level.goal))];
  }
  EXPECT_LT(uniform_deviation(walls), kMaxDeviation);
  EXPECT_LT(uniform_deviation(agents), kMaxDeviation);
  EXPECT_LT(uniform_deviation(goals), kMaxDeviation);
}

TEST(MazeGenerator, RandomLevelsMayHaveOnlyTwoFloorCells) {
  Random random = stream(3);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(defect_of(random_level({2, 2}, 2, random)), nullptr);
  }
}

TEST(MazeGenerator, PerfectMazesAreSpanningTreesOfTheirRooms) {
  Random random = stream(4);
  Solver solver;
  for (const auto& [side, num_walls] : {std::pair{13, 72}, {19, 162}, {101, 5000}}) {
    Level level = perfect_maze({side, side}, random);
    EXPECT_EQ(defect_of(level), nullptr);
    // side^2 cells less r^2 rooms and r^2 - 1 openings, r = (side + 1) / 2.
    EXPECT_EQ(level.walls.count(), num_walls);
    // With so many openings, connected rooms have no cycle.
    const int step = side > 20 ? 20 : 2;  // some rooms of the large maze
    for (int y = 0; y < side; y += step) {
      for (int x = 0; x < side; x += step) {
        level.goal = {x, y};
        ASSERT_TRUE(level.goal == level.agent || solver.num_moves(level)) << x << ", " << y;
      }
    }
  }
}

TEST(MazeGenerator, SmallestPerfectMazesAreEquallyLikely) {
  // Four rooms in a square have four spanning trees, each without one of the four edges.
  Random random = stream(5);
  std::map<std::string, int> counts;
  for (int i = 0; i < 4000; ++i) {
    const Level level = perfect_maze({3, 3}, random);
    std::string walls;
    for (int cell = 0; cell < 9; ++cell) walls += level.walls.at(level.cell(cell)) ? '#' : '.';
    ++counts[walls];
  }
  ASSERT_EQ(counts.size(), 4U);
  std::vector<int> values;
  for (const auto& [walls, count] : counts) values.push_back(count);
  EXPECT_LT(uniform_deviation(values), kMaxDeviation);
}

TEST(MazeGenerator, FourRoomsAreConnectedByFourDoors) {
  Random random = stream(6);
  Solver solver;
  for (int i = 0; i < 200; ++i) {
    const Level level = four_rooms({17, 17}, random);
    ASSERT_EQ(defect_of(level), nullptr);
    EXPECT_EQ(level.walls.count(), 2 * 17 - 1 - 4);
    EXPECT_TRUE(level.walls.at({8, 8}));
    EXPECT_TRUE(solver.num_actions(level)) << draw(level);
  }
}

TEST(MazeGenerator, CrossingsHaveOneOpeningPerWall) {
  Random random = stream(7);
  Solver solver;
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    const Level level = crossing(9, 5, random);
    ASSERT_EQ(defect_of(level), nullptr);
    EXPECT_EQ(level.agent, (Position{0, 0}));
    EXPECT_EQ(level.goal, (Position{8, 8}));
    EXPECT_TRUE(solver.num_actions(level)) << draw(level);
    int lines = 0;
    for (int k = 1; k < 9; k += 2) {
      int row = 0;
      int column = 0;
      for (int i2 = 0; i2 < 9; ++i2) {
        row += level.walls.at({i2, k}) ? 1 : 0;
        column += level.walls.at({k, i2}) ? 1 : 0;
      }
      // Without a wall of its own, a line has only the cells of up to four crossing walls.
      lines += (row > 5 ? 1 : 0) + (column > 5 ? 1 : 0);
    }
    EXPECT_EQ(lines, 5) << draw(level);
    seen.insert(draw(level));
  }
  EXPECT_GT(seen.size(), 150U);
}

// ---- solver

TEST(MazeSolver, CountsTurnsAndTheStepToTheGoal) {
  Solver solver;
  EXPECT_EQ(solver.num_actions(parse_level(">G")), 1);
  EXPECT_EQ(solver.num_actions(parse_level("<G")), 3);   // two turns
  EXPECT_EQ(solver.num_actions(parse_level("^.G")), 3);  // one turn
  EXPECT_EQ(solver.num_moves(parse_level("<.G")), 2);
}

TEST(MazeSolver, FindsNoWayThroughWalls) {
  Solver solver;
  const Level level = parse_level(">#G");
  EXPECT_FALSE(solver.num_actions(level));
  EXPECT_FALSE(solver.num_moves(level));
  EXPECT_TRUE(solver.solution(level).empty());
  EXPECT_EQ(optimal_return({}, solver.num_actions(level)), 0);
}

TEST(MazeSolver, SolutionsReachTheGoalWithTheirLastAction) {
  Random random = stream(8);
  Solver solver;
  for (int i = 0; i < 300; ++i) {
    const Level level = i % 3 == 0 ? perfect_maze({19, 19}, random) : random_level({}, 60, random);
    const std::vector<Action> actions = solver.solution(level);
    EXPECT_EQ(solver.num_actions(level).value_or(0), static_cast<int>(actions.size()));
    if (actions.empty()) continue;
    const Rules rules = {.max_steps = 1000};
    State state = start_of(level);
    StepResult result;
    for (const Action action : actions) {
      ASSERT_FALSE(result.done());
      result = step(level, rules, state, action);
    }
    EXPECT_TRUE(result.reached_goal);
    EXPECT_EQ(result.reward, optimal_return(rules, solver.num_actions(level)));
  }
}

TEST(MazeSolver, SolutionsLongerThanAnEpisodeReturnNothing) {
  EXPECT_GT(optimal_return({.max_steps = 30}, 30), 0);
  EXPECT_EQ(optimal_return({.max_steps = 30}, 31), 0);
}

}  // namespace
}  // namespace plr::maze
