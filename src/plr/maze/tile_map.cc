#include "plr/maze/tile_map.h"

namespace plr::maze {
namespace {

minigrid::TileMap blank_map(int width, int height) {
  return {.width = width,
          .height = height,
          .tiles = std::vector<minigrid::Tile>(static_cast<std::size_t>(width) *
                                               static_cast<std::size_t>(height))};
}

minigrid::Cell cell_at(const Level& level, Position p) {
  if (p == level.goal) return minigrid::kGoalCell;
  return level.walls.at(p) ? minigrid::kWallCell : minigrid::kEmptyCell;
}

}  // namespace

minigrid::TileMap whole_map(const Level& level, const State& state, const View& view) {
  minigrid::TileMap map = blank_map(level.width(), level.height());
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) map.at({x, y}).cell = cell_at(level, {x, y});
  }
  map.at(state.agent).agent = state.direction;
  for (int i = 0; i < view.side; ++i) {
    for (int j = 0; j < view.side; ++j) {
      const Position p = seen_position(state, view.side, i, j);
      if (level.walls.contains(p)) map.at(p).is_seen = true;
    }
  }
  return map;
}

minigrid::TileMap view_map(const Level& level, const State& state, const View& view) {
  minigrid::TileMap map = blank_map(view.side, view.side);
  for (int i = 0; i < view.side; ++i) {
    for (int j = 0; j < view.side; ++j) {
      minigrid::Tile& tile = map.at({i, j});
      tile.cell = cell_at(level, seen_position(state, view.side, i, j));
      tile.is_seen = true;
    }
  }
  map.at({view.side / 2, view.side - 1}).agent = Direction::kUp;
  return map;
}

}  // namespace plr::maze
