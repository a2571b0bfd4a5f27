#include "plr/maze/edit.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "plr/maze/free_cells.h"

namespace plr::maze {
namespace {

Direction random_direction(Random& random) { return static_cast<Direction>(random.below(4)); }

[[noreturn]] void refuse(Position p, const char* why) {
  throw std::invalid_argument("edit: cell (" + std::to_string(p.x) + ", " + std::to_string(p.y) +
                              ") " + why);
}

void check_inside(const Level& level, Position p) {
  if (!level.walls.contains(p)) refuse(p, "is outside of the level");
}

}  // namespace

Edit random_edit(const Level& level, Random& random) {
  const auto is_taken = [&](Position p) { return p == level.goal || p == level.agent; };
  switch (static_cast<EditKind>(random.below(3))) {
    case EditKind::kFlip: {
      if (level.num_cells() == 2) return {};
      Position p;
      do {
        p = level.cell(
            static_cast<int>(random.below(static_cast<std::uint64_t>(level.num_cells()))));
      } while (is_taken(p));
      return {EditKind::kFlip, p};
    }
    case EditKind::kMoveGoal:
      if (level.walls.count() + 2 == level.num_cells()) return {};
      return {EditKind::kMoveGoal, random_floor(level.walls, random, is_taken)};
    case EditKind::kNothing:
      break;
  }
  return {};
}

void apply(const Edit& edit, Level& level) {
  if (edit.kind == EditKind::kNothing) return;
  const Position p = edit.cell;
  check_inside(level, p);
  if (p == level.agent) refuse(p, "is the agent's");
  if (p == level.goal) refuse(p, "is the goal's");
  if (edit.kind == EditKind::kFlip) {
    level.walls.set(p, !level.walls.at(p));
    return;
  }
  if (level.walls.at(p)) refuse(p, "is a wall: the goal needs a floor cell");
  level.goal = p;
}

Level with_random_edits(const Level& parent, int count, Random& random) {
  Level level = parent;
  for (int i = 0; i < count; ++i) apply(random_edit(level, random), level);
  return level;
}

std::vector<TileEdit> random_tile_edits(const Level& level, int count, Random& random,
                                        std::span<const Tile> tiles) {
  std::vector<int> cells(static_cast<std::size_t>(count));
  for (int& cell : cells) {
    cell = static_cast<int>(random.below(static_cast<std::uint64_t>(level.num_cells())));
  }
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  random.shuffle(std::span(cells));
  std::vector<TileEdit> edits;
  for (const int cell : cells) {
    TileEdit& edit = edits.emplace_back();
    edit.cell = level.cell(cell);
    edit.tile = tiles[random.below(tiles.size())];
    if (edit.tile == Tile::kAgent) edit.direction = random_direction(random);
  }
  return edits;
}

TileEdited with_tiles(const Level& parent, std::span<const TileEdit> edits) {
  TileEdited edited{.level = parent};
  Level& level = edited.level;
  for (const auto& [cell, tile, direction] : edits) {
    check_inside(level, cell);
    if (cell == level.agent) edited.agent_displaced = true;
    if (cell == level.goal) edited.goal_displaced = true;
    level.walls.set(cell, tile == Tile::kWall);
    if (tile == Tile::kAgent) {
      level.agent = cell;
      level.direction = direction;
      edited.agent_displaced = false;
    } else if (tile == Tile::kGoal) {
      level.goal = cell;
      edited.goal_displaced = false;
    }
  }
  return edited;
}

std::optional<Level> settled(const TileEdited& edited, Random& random) {
  Level level = edited.level;
  const int num_floor = level.num_cells() - level.walls.count();
  if (num_floor < 2) return std::nullopt;
  if (edited.goal_displaced) {
    level.goal = random_floor(level.walls, random, [&](Position p) {
      return !edited.agent_displaced && p == level.agent;
    });
  }
  if (edited.agent_displaced) {
    level.agent = random_floor(level.walls, random, [&](Position p) { return p == level.goal; });
    level.direction = random_direction(random);
  }
  return level;
}

Level with_random_tiles(const Level& parent, int count, std::span<const Tile> tiles,
                        Random& random) {
  const TileEdited edited = with_tiles(parent, random_tile_edits(parent, count, random, tiles));
  return settled(edited, random).value_or(parent);
}

}  // namespace plr::maze
