// Every step, image, named level and edit equals the recordings of JaxUED.

#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plr/maze/edit.h"
#include "plr/maze/named_levels.h"
#include "plr/maze/observe.h"
#include "plr/maze/solver.h"
#include "plr/maze/step.h"
#include "plr/maze/text_form.h"

namespace plr::maze {
namespace {

using nlohmann::json;
using plr::testing::golden_lines;

Level level_of(const json& rows) {
  std::string text;
  for (const json& row : rows) text += row.get<std::string>() + "\n";
  return parse_level(text);
}

std::vector<std::uint8_t> image_of(const Level& level, const State& state, const View& view) {
  std::vector<std::uint8_t> image(view_bytes(view.side));
  observe_view(level, state, view, image);
  return image;
}

// An image in the characters of the recordings; 'x' where its fourth bytes are not the direction.
std::string characters(const std::vector<std::uint8_t>& image, Direction direction) {
  std::string text;
  for (std::size_t k = 0; k < image.size(); k += kCellBytes) {
    const minigrid::Cell cell = {static_cast<minigrid::Kind>(image[k]),
                                 static_cast<minigrid::Color>(image[k + 1]), image[k + 2]};
    text += image[k + 3] != static_cast<std::uint8_t>(direction) ? 'x'
            : cell == minigrid::kEmptyCell                       ? '.'
            : cell == minigrid::kWallCell                        ? '#'
            : cell == minigrid::kGoalCell                        ? 'G'
            : cell == minigrid::Cell{minigrid::Kind::kAgent, minigrid::Color::kRed, cell.state}
                ? ">v<^"[cell.state]
                : 'x';
  }
  return text;
}

TEST(GoldenMaze, TrajectoriesEqualTheRecordings) {
  for (const json& record : golden_lines("maze/trajectories.jsonl.gz")) {
    SCOPED_TRACE(record["name"].get<std::string>());
    const Level level = level_of(record["rows"]);
    const Rules rules = {.max_steps = record["max_steps"],
                         .penalize_time = record["penalize_time"]};
    const View view = {.side = record["view"], .see_agent = record["see_agent"]};
    const auto directions = record["directions"].get<std::string>();
    const auto views = record["views"].get<std::string>();
    const auto actions = record["actions"].get<std::string>();
    const auto view_size = static_cast<std::size_t>(view.side * view.side);
    State state = start_of(level);
    json ends = json::array();
    for (std::size_t t = 0;; ++t) {
      ASSERT_EQ(static_cast<char>('0' + static_cast<int>(state.direction)), directions[t]) << t;
      ASSERT_EQ(characters(image_of(level, state, view), state.direction),
                views.substr(t * view_size, view_size))
          << t;
      if (t == actions.size()) break;
      const StepResult result = step(level, rules, state, static_cast<Action>(actions[t] - '0'));
      ASSERT_TRUE(result.done() || result.reward == 0) << t;
      if (!result.done()) continue;
      ends.push_back({t, result.reward});
      state = start_of(level);
    }
    ASSERT_EQ(ends.size(), record["ends"].size());
    for (std::size_t i = 0; i < ends.size(); ++i) {
      EXPECT_EQ(ends[i][0], record["ends"][i][0]);
      // Nine digits identify a float: all bits are equal.
      EXPECT_EQ(ends[i][1].get<float>(), record["ends"][i][1].get<float>());
    }
  }
}

TEST(GoldenMaze, ImagesEqualTheRecordings) {
  for (const json& record : golden_lines("maze/images.jsonl.gz")) {
    const Level level = level_of(record["rows"]);
    const int side = static_cast<int>(record["image"].size());
    const std::vector<std::uint8_t> image = image_of(level, start_of(level), {.side = side});
    json pixels = json::array();
    json normalized = json::array();
    for (int i = 0; i < side; ++i) {
      pixels.push_back(json::array());
      normalized.push_back(json::array());
      for (int j = 0; j < side; ++j) {
        const auto k = static_cast<std::size_t>((i * side + j) * kCellBytes);
        pixels.back().push_back({image[k], image[k + 1], image[k + 2]});
        normalized.back().push_back({static_cast<float>(image[k]) / 10,
                                     static_cast<float>(image[k + 1]) / 10,
                                     static_cast<float>(image[k + 2]) / 10});
        EXPECT_EQ(image[k + 3], record["direction"].get<int>());
      }
    }
    EXPECT_EQ(pixels, record["image"]);
    const auto flat = [](const json& nested) {
      std::vector<float> values;
      for (const json& value : nested.flatten()) values.push_back(value.get<float>());
      return values;
    };
    EXPECT_EQ(flat(normalized), flat(record["normalized"]));
  }
}

TEST(GoldenMaze, NamedLevelsEqualTheRecordings) {
  std::vector<std::string> names;
  for (const json& record : golden_lines("maze/levels.jsonl.gz")) {
    const std::string name = record["name"];
    SCOPED_TRACE(name);
    const LevelGroup* group = find_named_levels(name.substr(0, name.find('/')));
    ASSERT_NE(group, nullptr);
    const auto found = std::ranges::find(group->levels, name, &NamedLevel::name);
    ASSERT_NE(found, group->levels.end());
    const Level& level = found->level;
    EXPECT_EQ(level, level_of(record["rows"]));
    EXPECT_EQ(json({level.agent.x, level.agent.y}), record["agent"]);
    EXPECT_EQ(json({level.goal.x, level.goal.y}), record["goal"]);
    EXPECT_EQ(static_cast<int>(level.direction), record["direction"]);
    EXPECT_EQ(level.walls.count(), record["walls"]);
    if (record["in_jaxued_evaluation"].get<bool>()) names.push_back(name);
  }
  std::vector<std::string> evaluation;
  for (const LevelGroup& group : evaluation_levels()) evaluation.push_back(group.name);
  EXPECT_EQ(evaluation, names);
}

TEST(GoldenMaze, ShortestSolutionsHaveTheRecordedLengths) {
  Solver solver;
  for (const json& record : golden_lines("maze/levels.jsonl.gz")) {
    SCOPED_TRACE(record["name"].get<std::string>());
    const Level level = level_of(record["rows"]);
    const auto actions = record["actions"].get<std::string>();
    EXPECT_EQ(solver.num_actions(level), static_cast<int>(actions.size()));
    EXPECT_EQ(solver.num_moves(level), record["moves"].get<int>());
    // Recorded in double and rounded; the environment's own arithmetic differs in the last bit.
    EXPECT_NEAR(optimal_return({}, solver.num_actions(level)),
                record["best_return_250"].get<double>(), 1e-7);
  }
}

Edit edit_of(const json& record, const Level& level) {
  const std::string kind = record[0];
  if (kind == "noop") return {};
  const Position cell = level.cell(record[1].get<int>());
  return {kind == "flip" ? EditKind::kFlip : EditKind::kMoveGoal, cell};
}

// The child of recorded tile edits; a displaced agent or goal is where the recorded child has it.
Level tile_child(const Level& parent, const json& record, const Level& recorded) {
  std::vector<TileEdit> edits;
  for (const json& edit : record) {
    edits.push_back({parent.cell(edit[0].get<int>()), static_cast<Tile>(edit[1].get<int>()),
                     static_cast<Direction>(edit[2].get<int>())});
  }
  TileEdited edited = with_tiles(parent, edits);
  if (edited.goal_displaced) edited.level.goal = recorded.goal;
  if (edited.agent_displaced) {
    edited.level.agent = recorded.agent;
    edited.level.direction = recorded.direction;
  }
  return edited.level;
}

TEST(GoldenMaze, EditsLeadToTheRecordedChildren) {
  for (const json& record : golden_lines("maze/edits.jsonl.gz")) {
    Level level = level_of(record["parent"]);
    const Level child = level_of(record["child"]);
    if (record["mutator"] == "minimax") {
      EXPECT_EQ(record["edits"].size(), record["n"]);
      for (const json& edit : record["edits"]) apply(edit_of(edit, level), level);
    } else {
      EXPECT_LE(record["edits"].size(), record["n"]);
      level = tile_child(level, record["edits"], child);
    }
    EXPECT_EQ(draw(level), draw(child));
    EXPECT_EQ(level, child);
    EXPECT_EQ(defect_of(level), nullptr);
  }
}

}  // namespace
}  // namespace plr::maze
