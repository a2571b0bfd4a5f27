#include "plr/maze/generate.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <vector>

#include "plr/maze/free_cells.h"

namespace plr::maze {
namespace {

int below(Random& random, int bound) {
  return static_cast<int>(random.below(static_cast<std::uint64_t>(bound)));
}

Direction random_direction(Random& random) { return static_cast<Direction>(random.below(4)); }

void place_goal_then_agent(Level& level, Random& random) {
  level.goal = random_floor(level.walls, random);
  level.agent = random_floor(level.walls, random, [&](Position p) { return p == level.goal; });
  level.direction = random_direction(random);
}

[[maybe_unused]] bool is_odd(int number) { return number % 2 == 1; }

// ---- crossing

// The orientation of a straight wall, and of a step of the path across such a wall.
enum class Line { kColumn, kRow };

struct CrossingWall {
  Line line;
  int at;  // its x or y
};

// The coordinates of the walls of one orientation, between those of the outer walls.
std::vector<int> limits(const std::vector<CrossingWall>& walls, Line line, int side) {
  std::vector<int> at = {-1, side};
  for (const CrossingWall& wall : walls) {
    if (wall.line == line) at.push_back(wall.at);
  }
  std::sort(at.begin(), at.end());
  return at;
}

}  // namespace

Level random_level(Size size, int num_walls, Random& random) {
  Level level;
  level.walls = Walls(size.width, size.height);
  assert(num_walls >= 0 && num_walls <= level.num_cells() - 2);
  for (int i = 0; i < num_walls; ++i) {
    level.walls.set(level.cell(below(random, level.num_cells())), true);
  }
  level.agent = random_floor(level.walls, random);
  level.direction = random_direction(random);
  level.goal = random_floor(level.walls, random, [&](Position p) { return p == level.agent; });
  return level;
}

Level perfect_maze(Size size, Random& random) {
  assert(is_odd(size.width) && is_odd(size.height) && size.width >= 3 && size.height >= 3);
  Level level;
  level.walls = Walls(size.width, size.height, /*filled=*/true);
  Walls& walls = level.walls;
  const int columns = (size.width + 1) / 2;
  const int rows = (size.height + 1) / 2;
  const int first = below(random, columns * rows);
  // The way from the first room to the current one; a room is visited if it is floor.
  std::vector<Position> way = {{2 * (first % columns), 2 * (first / columns)}};
  walls.set(way[0], false);
  while (!way.empty()) {
    const Position room = way.back();
    std::array<Position, 4> steps;  // to the unvisited neighbors
    int count = 0;
    for (int d = 0; d < 4; ++d) {
      const Position step = offset(static_cast<Direction>(d));
      const Position neighbor = room + step + step;
      if (walls.contains(neighbor) && walls.at(neighbor)) {
        steps[static_cast<std::size_t>(count++)] = step;
      }
    }
    if (count == 0) {
      way.pop_back();
      continue;
    }
    const Position step = steps[static_cast<std::size_t>(below(random, count))];
    walls.set(room + step, false);
    walls.set(room + step + step, false);
    way.push_back(room + step + step);
  }
  place_goal_then_agent(level, random);
  return level;
}

Level four_rooms(Size size, Random& random) {
  assert(is_odd(size.width) && is_odd(size.height) && size.width >= 3 && size.height >= 3);
  Level level;
  level.walls = Walls(size.width, size.height);
  Walls& walls = level.walls;
  const Position middle = {size.width / 2, size.height / 2};
  for (int x = 0; x < size.width; ++x) walls.set({x, middle.y}, true);
  for (int y = 0; y < size.height; ++y) walls.set({middle.x, y}, true);
  walls.set({below(random, middle.x), middle.y}, false);
  walls.set({middle.x + 1 + below(random, middle.x), middle.y}, false);
  walls.set({middle.x, below(random, middle.y)}, false);
  walls.set({middle.x, middle.y + 1 + below(random, middle.y)}, false);
  place_goal_then_agent(level, random);
  return level;
}

Level crossing(int side, int num_crossings, Random& random) {
  assert(is_odd(side) && num_crossings >= 1 && num_crossings <= side - 1);
  std::vector<CrossingWall> chosen;
  for (const Line line : {Line::kColumn, Line::kRow}) {
    for (int at = 1; at < side; at += 2) chosen.push_back({line, at});
  }
  random.shuffle(std::span(chosen));
  chosen.resize(static_cast<std::size_t>(num_crossings));

  Level level;
  level.walls = Walls(side, side);
  level.goal = {side - 1, side - 1};
  level.agent = {0, 0};
  for (const auto& [line, at] : chosen) {
    for (int i = 0; i < side; ++i) {
      level.walls.set(line == Line::kColumn ? Position{at, i} : Position{i, at}, true);
    }
  }
  // The path crosses the walls one by one, in random order of their orientations.
  const std::vector<int> xs = limits(chosen, Line::kColumn, side);
  const std::vector<int> ys = limits(chosen, Line::kRow, side);
  std::vector<Line> path(xs.size() - 2, Line::kColumn);
  path.insert(path.end(), ys.size() - 2, Line::kRow);
  random.shuffle(std::span(path));
  std::size_t column = 0;
  std::size_t row = 0;
  const auto between = [&](int low, int high) { return low + 1 + below(random, high - low - 1); };
  for (const Line line : path) {
    if (line == Line::kColumn) {
      level.walls.set({xs[column + 1], between(ys[row], ys[row + 1])}, false);
      ++column;
    } else {
      level.walls.set({between(xs[column], xs[column + 1]), ys[row + 1]}, false);
      ++row;
    }
  }
  return level;
}

}  // namespace plr::maze
