#include "plr/minigrid/observe.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

namespace plr::minigrid {
namespace {

constexpr int kMiddle = kViewSide / 2;
constexpr int kNearest = kViewSide - 1;
constexpr unsigned kRowMask = (1U << kViewSide) - 1;

using View = std::array<std::array<Cell, kViewSide>, kViewSide>;  // [i, j] as observed
using Rows = std::array<unsigned, kViewSide>;                     // bit i of [j]

// The part of a side of the view that lies in the grid: `from` <= index < `to`.
struct Span {
  int from;
  int to;
};

// The indices k of 0..6 with 0 <= start + k * step < size.  step is 1 or -1.
Span inside(int start, int step, int size) {
  const int first = step > 0 ? -start : start - size + 1;
  const int last = step > 0 ? size - start : start + 1;
  return {std::clamp(first, 0, kViewSide), std::clamp(last, 0, kViewSide)};
}

// The cells in front of the agent, rotated so that it looks up; walls outside the grid.  i
// increases to the agent's right, j towards the agent.
View cells_ahead(const State& state) {
  const Grid& grid = state.grid;
  const Position ahead = offset(state.direction);
  const Position right = offset(turned(state.direction, 1));
  const Position corner = {state.agent.x + ahead.x * kNearest - right.x * kMiddle,
                           state.agent.y + ahead.y * kNearest - right.y * kMiddle};
  // One of i and j runs along x, the other along y, so the part inside is a rectangle.
  const bool i_along_x = right.x != 0;
  const Span is = i_along_x ? inside(corner.x, right.x, grid.width())
                            : inside(corner.y, right.y, grid.height());
  const Span js = i_along_x ? inside(corner.y, -ahead.y, grid.height())
                            : inside(corner.x, -ahead.x, grid.width());
  View view;
  for (auto& column : view) column.fill(kWallCell);
  const int height = grid.height();
  const int along_i = right.x * height + right.y;
  const int along_j = -ahead.x * height - ahead.y;
  const int origin = corner.x * height + corner.y;
  const auto* cells = reinterpret_cast<const Cell*>(grid.bytes());
  for (int i = is.from; i < is.to; ++i) {
    for (int j = js.from; j < js.to; ++j) view[i][j] = cells[origin + i * along_i + j * along_j];
  }
  return view;
}

Rows transparent_cells(const View& view) {
  Rows rows{};
  for (int i = 0; i < kViewSide; ++i) {
    for (int j = 0; j < kViewSide; ++j) {
      rows[j] |= static_cast<unsigned>(view[i][j].see_through()) << i;
    }
  }
  return rows;
}

// Visibility spreads sideways through transparent cells, and from every visible transparent cell to
// the three cells beyond it.  Equal to minigrid's process_vis.
Rows visible_cells(const Rows& transparent) {
  Rows visible{};
  unsigned lit = 1U << kMiddle;
  for (int j = kNearest; j >= 0; --j) {
    for (unsigned before = 0; before != lit;) {
      before = lit;
      const unsigned through = lit & transparent[j];
      lit = (lit | through << 1 | through >> 1) & kRowMask;
    }
    visible[j] = lit;
    const unsigned through = lit & transparent[j];
    lit = (through | through << 1 | through >> 1) & kRowMask;
  }
  return visible;
}

}  // namespace

void observe_full(const State& state, std::span<std::uint8_t> out) {
  const std::size_t size = full_size(state.grid);
  assert(out.size() == size);
  std::memcpy(out.data(), state.grid.bytes(), size);
  const Cell agent = {Kind::kAgent, Color::kRed, static_cast<std::uint8_t>(state.direction)};
  const int at = state.agent.x * state.grid.height() + state.agent.y;
  std::memcpy(out.data() + static_cast<std::size_t>(at) * sizeof(Cell), &agent, sizeof(Cell));
}

void observe_view(const Level& level, const State& state, std::span<std::uint8_t> out) {
  assert(out.size() == kViewBytes);
  View view = cells_ahead(state);
  if (!level.see_through_walls) {
    const Rows visible = visible_cells(transparent_cells(view));
    for (int i = 0; i < kViewSide; ++i) {
      for (int j = 0; j < kViewSide; ++j) {
        if ((visible[j] >> i & 1) == 0) view[i][j] = {Kind::kUnseen, Color::kRed, 0};
      }
    }
  }
  view[kMiddle][kNearest] = state.carrying.cell;
  std::memcpy(out.data(), view.data(), kViewBytes);
}

}  // namespace plr::minigrid
