#include "plr/maze/edit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "plr/maze/chi_square_testing.h"
#include "plr/maze/generate.h"
#include "plr/maze/text_form.h"
#include "tests/support/error_message.h"
#include "tests/support/golden.h"

namespace plr::maze {
namespace {

using nlohmann::json;

Random stream(std::uint64_t seed) { return Streams(seed).named("test"); }

int num_changed_walls(const Level& a, const Level& b) {
  int count = 0;
  for (int i = 0; i < a.num_cells(); ++i) {
    count += a.walls.at(a.cell(i)) != b.walls.at(b.cell(i)) ? 1 : 0;
  }
  return count;
}

Level level_of(const json& rows) {
  std::string text;
  for (const json& row : rows) text += row.get<std::string>() + "\n";
  return parse_level(text);
}

TEST(GoldenMazeEdits, ChildrenHaveTheRecordedFrequencies) {
  for (const json& record : plr::testing::golden_lines("maze/edit_statistics.jsonl.gz")) {
    ASSERT_EQ(record["mutator"], "minimax");
    const Level parent = level_of(record["parent"]);
    const int num_children = record["children"];
    Random random = stream(1);
    std::map<int, int> changed;
    int num_moved = 0;
    int num_unchanged = 0;
    double walls = 0;
    for (int i = 0; i < num_children; ++i) {
      const Level child = with_random_edits(parent, record["n"], random);
      ASSERT_EQ(defect_of(child), nullptr);
      ASSERT_EQ(child.agent, parent.agent);
      ASSERT_EQ(child.direction, parent.direction);
      ++changed[num_changed_walls(parent, child)];
      num_moved += child.goal != parent.goal ? 1 : 0;
      num_unchanged += child == parent ? 1 : 0;
      walls += child.walls.count();
    }
    std::map<int, int> recorded;
    for (const auto& [value, count] : record["changed_walls_histogram"].items()) {
      recorded[std::stoi(value)] = count;
    }
    EXPECT_LT(two_sample_deviation(changed, recorded), kMaxDeviation);
    // Two shares of this many draws differ by five standard deviations at most.
    const auto expect_share = [&](int count, const json& share) {
      const double p = std::max(share.get<double>(), 1e-4);
      EXPECT_NEAR(static_cast<double>(count) / num_children, share.get<double>(),
                  5 * std::sqrt(2 * p * (1 - p) / num_children));
    };
    expect_share(num_moved, record["goal_moved"]);
    expect_share(num_unchanged, record["unchanged"]);
    // The number of walls of a child deviates by less than three from the mean.
    EXPECT_NEAR(walls / num_children, record["walls_mean"].get<double>(),
                5 * 3 * std::sqrt(2.0 / num_children));
  }
}

TEST(MazeEdits, KindsAndCellsAreEquallyLikely) {
  Random random = stream(2);
  const Level level = random_level({}, 40, random);
  std::vector<int> kinds(3);
  std::vector<int> flips(169);
  std::vector<int> goals(169);
  for (int i = 0; i < 60'000; ++i) {
    const Edit edit = random_edit(level, random);
    ++kinds[static_cast<std::size_t>(edit.kind)];
    if (edit.kind == EditKind::kNothing) continue;
    auto& cells = edit.kind == EditKind::kFlip ? flips : goals;
    ++cells[static_cast<std::size_t>(level.index(edit.cell))];
  }
  EXPECT_LT(uniform_deviation(kinds), kMaxDeviation);
  const auto taken = [&](int i) {
    return level.cell(i) == level.goal || level.cell(i) == level.agent;
  };
  std::vector<int> possible_flips;
  std::vector<int> possible_goals;
  for (int i = 0; i < 169; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (!taken(i)) possible_flips.push_back(flips[k]);
    EXPECT_TRUE(!taken(i) || flips[k] == 0);
    if (!taken(i) && !level.walls.at(level.cell(i))) {
      possible_goals.push_back(goals[k]);
    } else {
      EXPECT_EQ(goals[k], 0);
    }
  }
  EXPECT_LT(uniform_deviation(possible_flips), kMaxDeviation);
  EXPECT_LT(uniform_deviation(possible_goals), kMaxDeviation);
}

TEST(MazeEdits, ALevelWithoutRoomStaysAsItIs) {
  Random random = stream(3);
  for (const char* text : {">G", ">G\n##"}) {
    Level level = parse_level(text);
    for (int i = 0; i < 100; ++i) {
      const Edit edit = random_edit(level, random);
      EXPECT_TRUE(level.num_cells() > 2 || edit.kind != EditKind::kFlip);
      EXPECT_NE(edit.kind, EditKind::kMoveGoal);
    }
  }
}

TEST(MazeEdits, CellsThatCannotBeEditedAreRefused) {
  const Level level = parse_level("..G\n.>#");
  const auto error = [&](const Edit& edit) {
    Level copy = level;
    return invalid_argument_of([&] { apply(edit, copy); });
  };
  EXPECT_EQ(error({EditKind::kFlip, {3, 0}}), "edit: cell (3, 0) is outside of the level");
  EXPECT_EQ(error({EditKind::kFlip, {1, 1}}), "edit: cell (1, 1) is the agent's");
  EXPECT_EQ(error({EditKind::kFlip, {2, 0}}), "edit: cell (2, 0) is the goal's");
  EXPECT_EQ(error({EditKind::kMoveGoal, {2, 1}}),
            "edit: cell (2, 1) is a wall: the goal needs a floor cell");
}

TEST(MazeTileEdits, DrawDistinctCellsTilesAndDirectionsUniformly) {
  Random random = stream(4);
  const Level level = random_level({5, 5}, 5, random);
  std::vector<int> cells(25);
  std::vector<int> tiles(4);
  std::vector<int> directions(4);
  std::vector<int> first_cells(25);
  for (int i = 0; i < 20'000; ++i) {
    const std::vector<TileEdit> edits = random_tile_edits(level, 5, random);
    ASSERT_LE(edits.size(), 5U);
    for (std::size_t a = 0; a < edits.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) ASSERT_NE(edits[a].cell, edits[b].cell);
      ++cells[static_cast<std::size_t>(level.index(edits[a].cell))];
      ++tiles[static_cast<std::size_t>(edits[a].tile)];
      if (edits[a].tile == Tile::kAgent) ++directions[static_cast<std::size_t>(edits[a].direction)];
    }
    ++first_cells[static_cast<std::size_t>(level.index(edits[0].cell))];
  }
  EXPECT_LT(uniform_deviation(cells), kMaxDeviation);
  EXPECT_LT(uniform_deviation(first_cells), kMaxDeviation);
  EXPECT_LT(uniform_deviation(tiles), kMaxDeviation);
  EXPECT_LT(uniform_deviation(directions), kMaxDeviation);
}

TEST(MazeTileEdits, ADisplacedGoalAndAgentAreSettledOnDistinctFloorCells) {
  Random random = stream(5);
  const Level parent = parse_level("..G\n.>#");
  const std::vector<TileEdit> edits = {{{1, 1}, Tile::kWall, {}}, {{2, 0}, Tile::kWall, {}}};
  const TileEdited edited = with_tiles(parent, edits);
  EXPECT_TRUE(edited.agent_displaced && edited.goal_displaced);
  std::map<std::string, int> counts;
  for (int i = 0; i < 12'000; ++i) {
    const std::optional<Level> level = settled(edited, random);
    ASSERT_TRUE(level);
    ASSERT_EQ(defect_of(*level), nullptr);
    ++counts[draw(*level)];
  }
  // Three cells for the goal, two for the agent, four directions.
  std::vector<int> values;
  for (const auto& [text, count] : counts) values.push_back(count);
  ASSERT_EQ(values.size(), 24U);
  EXPECT_LT(uniform_deviation(values), kMaxDeviation);
}

TEST(MazeTileEdits, ALevelWithoutTwoFloorCellsCannotBeSettled) {
  Random random = stream(6);
  const TileEdited edited =
      with_tiles(parse_level(">G"), std::vector<TileEdit>{{{0, 0}, Tile::kWall, {}}});
  EXPECT_FALSE(settled(edited, random));
}

TEST(MazeTileEdits, RandomChildrenAreWellFormed) {
  Random random = stream(7);
  for (int i = 0; i < 2000; ++i) {
    const Level parent = random_level({4, 3}, 4, random);
    const std::optional<Level> child =
        settled(with_tiles(parent, random_tile_edits(parent, 6, random)), random);
    ASSERT_TRUE(!child || defect_of(*child) == nullptr) << draw(parent) << draw(*child);
  }
}

}  // namespace
}  // namespace plr::maze
