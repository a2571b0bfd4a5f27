#include <algorithm>
#include <vector>

#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"

namespace plr::minigrid {
namespace {

// The orientation of a straight barrier from wall to wall, and of a step of the path from the agent
// to the goal, which crosses the barriers one by one.
enum class Line { kVertical, kHorizontal };

struct Barrier {
  Line line;
  int at;  // its x or y
};

std::vector<Barrier> chosen_barriers(int size, int count, LevelRandom& random) {
  std::vector<Barrier> barriers;
  for (const Line line : {Line::kVertical, Line::kHorizontal}) {
    for (int at = 2; at < size - 2; at += 2) barriers.push_back({line, at});
  }
  random.shuffle(std::span(barriers));
  barriers.resize(static_cast<std::size_t>(count));
  return barriers;
}

// The coordinates of the barriers of one orientation and of the two outer walls, sorted.
std::vector<int> limits(const std::vector<Barrier>& barriers, Line line, int size) {
  std::vector<int> at = {0, size - 1};
  for (const Barrier& barrier : barriers) {
    if (barrier.line == line) at.push_back(barrier.at);
  }
  std::sort(at.begin(), at.end());
  return at;
}

// Makes one opening in each barrier, along a path to the right and down.
void open_path(const std::vector<int>& xs, const std::vector<int>& ys, LevelBuilder& build) {
  LevelRandom& random = build.random();
  // The orientation of each step: horizontal across a vertical barrier.
  std::vector<Line> path(xs.size() - 2, Line::kHorizontal);
  path.insert(path.end(), ys.size() - 2, Line::kVertical);
  random.shuffle(std::span(path));
  std::size_t column = 0;
  std::size_t row = 0;
  for (const Line line : path) {
    if (line == Line::kHorizontal) {
      build.put({xs[column + 1], random.integer(ys[row] + 1, ys[row + 1])}, kEmptyCell);
      ++column;
    } else {
      build.put({random.integer(xs[column] + 1, xs[column + 1]), ys[row + 1]}, kEmptyCell);
      ++row;
    }
  }
}

}  // namespace

Level crossing(int size, int num_crossings, Cell barrier, LevelRandom& random) {
  Level level = blank_level(
      size, size,
      {.max_steps = 4 * size * size,
       .mission = barrier == kLavaCell ? "avoid the lava and get to the green goal square"
                                       : "find the opening and get to the green goal square"});
  LevelBuilder build(level, random);
  build.outer_walls();
  build.put_agent({1, 1}, Direction::kRight);
  build.put({size - 2, size - 2}, kGoalCell);
  const std::vector<Barrier> barriers = chosen_barriers(size, num_crossings, random);
  for (const auto& [line, at] : barriers) {
    if (line == Line::kHorizontal) build.row({1, at}, size - 2, barrier);
    if (line == Line::kVertical) build.column({at, 1}, size - 2, barrier);
  }
  open_path(limits(barriers, Line::kVertical, size), limits(barriers, Line::kHorizontal, size),
            build);
  return level;
}

}  // namespace plr::minigrid
