#include "plr/maze/observe.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <cstring>

namespace plr::maze {
namespace {

using minigrid::Cell;
using minigrid::Color;
using minigrid::Kind;

// The four bytes of a cell of a view as a little-endian word.
constexpr std::uint32_t word_of(Cell cell, Direction direction) {
  return static_cast<std::uint32_t>(cell.kind) | static_cast<std::uint32_t>(cell.color) << 8U |
         static_cast<std::uint32_t>(cell.state) << 16U |
         static_cast<std::uint32_t>(direction) << 24U;
}

Cell agent_cell(Direction direction) {
  return {Kind::kAgent, Color::kRed, static_cast<std::uint8_t>(direction)};
}

// image[i] of the standard view, from far to near.
using Column = std::array<std::uint32_t, kStandardSide>;
using ColumnTable = std::array<Column, 1U << kStandardSide>;  // by the bits of a line of walls

// Right and down look along their line: its first cell is the agent's.  Left and up look against
// it.
constexpr bool looks_along(Direction direction) { return direction <= Direction::kDown; }

constexpr ColumnTable column_table(Direction direction) {
  ColumnTable table = {};
  for (std::uint32_t bits = 0; bits < table.size(); ++bits) {
    for (unsigned j = 0; j < kStandardSide; ++j) {
      const unsigned cell = looks_along(direction) ? kStandardSide - 1 - j : j;
      const bool is_wall = (bits >> cell & 1U) != 0;
      table[bits][j] = word_of(is_wall ? minigrid::kWallCell : minigrid::kEmptyCell, direction);
    }
  }
  return table;
}

constexpr std::array<ColumnTable, 4> kColumns = {
    column_table(Direction::kRight), column_table(Direction::kDown), column_table(Direction::kLeft),
    column_table(Direction::kUp)};

// Writes walls and floor of the standard view: each image[i] is five bits of a row or a column.
void observe_standard_walls(const Walls& walls, const State& state, std::uint8_t* out) {
  constexpr int kHalf = kStandardSide / 2;
  static_assert(Walls::kBorder >= kStandardSide - 1);
  const ColumnTable& table = kColumns[static_cast<std::size_t>(state.direction)];
  const auto copy_columns = [&](auto bits_of) {
    for (int i = 0; i < kStandardSide; ++i) {
      const Column& column = table[bits_of(i - kHalf) & (table.size() - 1)];
      std::memcpy(out + static_cast<std::size_t>(i) * sizeof column, column.data(), sizeof column);
    }
  };
  const int x = state.agent.x;
  const int y = state.agent.y;
  const int back = kStandardSide - 1;
  switch (state.direction) {
    case Direction::kRight:
      return copy_columns([&](int right) { return walls.row_bits(y + right, x); });
    case Direction::kDown:
      return copy_columns([&](int right) { return walls.column_bits(x - right, y); });
    case Direction::kLeft:
      return copy_columns([&](int right) { return walls.row_bits(y - right, x - back); });
    case Direction::kUp:
      return copy_columns([&](int right) { return walls.column_bits(x + right, y - back); });
  }
}

void observe_walls(const Walls& walls, const State& state, int side, std::uint8_t* out) {
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const bool is_wall = walls.at(seen_position(state, side, i, j));
      const std::uint32_t word =
          word_of(is_wall ? minigrid::kWallCell : minigrid::kEmptyCell, state.direction);
      std::memcpy(out, &word, sizeof word);
      out += sizeof word;
    }
  }
}

}  // namespace

Position seen_position(const State& state, int side, int i, int j) {
  const Position forward = offset(state.direction);
  const Position right = offset(turned(state.direction, 1));
  const int ahead = side - 1 - j;
  const int aside = i - side / 2;
  return {state.agent.x + forward.x * ahead + right.x * aside,
          state.agent.y + forward.y * ahead + right.y * aside};
}

void observe_view(const Level& level, const State& state, const View& view,
                  std::span<std::uint8_t> out) {
  static_assert(std::endian::native == std::endian::little);
  const int side = view.side;
  assert(side % 2 == 1 && out.size() == view_bytes(side));
  if (side == kStandardSide) {
    observe_standard_walls(level.walls, state, out.data());
  } else {
    observe_walls(level.walls, state, side, out.data());
  }
  const auto put = [&](int i, int j, Cell cell) {
    const std::uint32_t word = word_of(cell, state.direction);
    std::memcpy(out.data() + static_cast<std::size_t>(i * side + j) * sizeof word, &word,
                sizeof word);
  };
  const Position to_goal = level.goal - state.agent;
  const Position forward = offset(state.direction);
  const int ahead = to_goal.x * forward.x + to_goal.y * forward.y;
  const int aside = to_goal.y * forward.x - to_goal.x * forward.y;  // to the right
  if (ahead >= 0 && ahead < side && std::abs(aside) <= side / 2) {
    put(side / 2 + aside, side - 1 - ahead, minigrid::kGoalCell);
  }
  if (view.see_agent) put(side / 2, side - 1, agent_cell(state.direction));
}

void observe_full(const Level& level, const State& state, int width, int height,
                  std::span<std::uint8_t> out) {
  assert(out.size() == static_cast<std::size_t>(width * height) * sizeof(Cell));
  const auto put = [&](Position p, Cell cell) {
    std::memcpy(out.data() + static_cast<std::size_t>(p.x * height + p.y) * sizeof cell, &cell,
                sizeof cell);
  };
  std::uint8_t* cell = out.data();
  for (int x = 0; x < width; ++x) {
    for (int y = 0; y < height; ++y) {
      // Without a branch on the wall, which could not be predicted: (1, 0, 0) or (2, 5, 0).
      const auto wall = static_cast<std::uint8_t>(level.walls.at({x, y}));
      cell[0] = static_cast<std::uint8_t>(1 + wall);
      cell[1] = static_cast<std::uint8_t>(5 * wall);
      cell[2] = 0;
      cell += sizeof(Cell);
    }
  }
  put(level.goal, minigrid::kGoalCell);
  put(state.agent, agent_cell(state.direction));
}

}  // namespace plr::maze
