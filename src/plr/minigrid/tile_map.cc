#include "plr/minigrid/tile_map.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "plr/minigrid/observe.h"

namespace plr::minigrid {
namespace {

using View = std::array<std::array<Cell, kViewSide>, kViewSide>;  // [i, j] as observed

View view_of(const Level& level, const State& state) {
  std::array<std::uint8_t, kViewBytes> bytes;
  observe_view(level, state, bytes);
  View view;
  std::memcpy(view.data(), bytes.data(), bytes.size());
  return view;
}

// The position in the grid of the cell (i, j) of the view.
Position world_position(const State& state, int i, int j) {
  const Position ahead = offset(state.direction);
  const Position right = offset(turned(state.direction, 1));
  const int steps_ahead = kViewSide - 1 - j;
  const int steps_right = i - kViewSide / 2;
  return {state.agent.x + ahead.x * steps_ahead + right.x * steps_right,
          state.agent.y + ahead.y * steps_ahead + right.y * steps_right};
}

// Calls visit(i, j, cell) for each cell that the agent sees.
template <class Visit>
void for_each_seen(const Level& level, const State& state, Visit visit) {
  const View view = view_of(level, state);
  for (int i = 0; i < kViewSide; ++i) {
    for (int j = 0; j < kViewSide; ++j) {
      const Cell cell = view[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      if (cell.kind != Kind::kUnseen) visit(i, j, cell);
    }
  }
}

TileMap blank_map(int width, int height, Cell cell) {
  return {
      width, height,
      std::vector<Tile>(static_cast<std::size_t>(width * height), Tile{.cell = cell, .agent = {}})};
}

}  // namespace

TileMap whole_map(const Level& level, const State& state) {
  TileMap map = blank_map(state.grid.width(), state.grid.height(), kEmptyCell);
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) map.at({x, y}).cell = state.grid.at({x, y});
  }
  map.at(state.agent).agent = state.direction;
  for_each_seen(level, state, [&](int i, int j, Cell) {
    const Position p = world_position(state, i, j);
    if (state.grid.contains(p)) map.at(p).is_seen = true;
  });
  return map;
}

TileMap view_map(const Level& level, const State& state) {
  TileMap map = blank_map(kViewSide, kViewSide, {Kind::kUnseen, Color::kRed, 0});
  for_each_seen(level, state, [&](int i, int j, Cell cell) {
    map.at({i, j}).cell = cell;
    map.at({i, j}).is_seen = true;
  });
  Tile& own = map.at({kViewSide / 2, kViewSide - 1});
  own.cell = state.grid.at(state.agent);
  own.agent = Direction::kUp;
  return map;
}

}  // namespace plr::minigrid
