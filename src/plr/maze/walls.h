// The walls of a maze as bits, by row and by column.
//
//   Walls walls(13, 13);       // all floor
//   walls.set({3, 4}, true);
//   walls.at({-1, 4});         // true: everything outside is wall
//
// Each line of cells is stored twice, as a row and as a column, with a border of four walls on both
// sides.  The five cells in front of an agent are therefore five adjacent bits of one line for
// every direction: line_bits().  An object takes 3.5 KB whatever the size of the maze.
//
// A plain value, copyable by memcpy; equal walls have equal bytes.  Concurrent reads are safe.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "plr/minigrid/grid.h"

namespace plr::maze {

using minigrid::Position;

class Walls {
 public:
  static constexpr int kMaxSide = 101;
  static constexpr int kBorder = 4;  // one less than the side of the standard view

  Walls() = default;
  // All floor, or all wall.  REQUIRES: 1 <= width, height <= kMaxSide.
  Walls(int width, int height, bool filled = false);

  int width() const { return width_; }
  int height() const { return height_; }
  int num_cells() const { return width_ * height_; }
  bool contains(Position p) const { return p.x >= 0 && p.x < width_ && p.y >= 0 && p.y < height_; }

  // True outside of the maze.
  bool at(Position p) const { return !contains(p) || at_or_beside(p); }
  // The same for a cell of the maze or of its border.
  bool at_or_beside(Position p) const { return (row_bits(p.y, p.x) & 1U) != 0; }
  // REQUIRES: contains(p).
  void set(Position p, bool wall) {
    assert(contains(p));
    set_bit(rows_, p.y, p.x, wall);
    set_bit(columns_, p.x, p.y, wall);
  }
  int count() const;

  // At least nine cells from `first` on, the first in bit 0; more bits are undefined.
  // REQUIRES: the line and `first` are at most kBorder outside of the maze.
  std::uint32_t row_bits(int y, int first) const { return line_bits(rows_, y, first); }
  std::uint32_t column_bits(int x, int first) const { return line_bits(columns_, x, first); }

  friend bool operator==(const Walls&, const Walls&) = default;

 private:
  static constexpr int kNumLines = kMaxSide + 2 * kBorder;
  static constexpr int kLineBytes = 16;  // kNumLines bits; the rest are walls
  using Line = std::array<std::uint8_t, kLineBytes>;
  using Lines = std::array<Line, kNumLines>;

  static std::uint32_t line_bits(const Lines& lines, int line, int first) {
    const auto bit = static_cast<unsigned>(first + kBorder);
    std::uint16_t word;
    std::memcpy(&word, lines[static_cast<std::size_t>(line + kBorder)].data() + bit / 8, 2);
    return static_cast<std::uint32_t>(word) >> (bit % 8);
  }
  static void set_bit(Lines& lines, int line, int cell, bool wall) {
    const auto bit = static_cast<unsigned>(cell + kBorder);
    std::uint8_t& byte = lines[static_cast<std::size_t>(line + kBorder)][bit / 8];
    const auto mask = static_cast<std::uint8_t>(1U << (bit % 8));
    byte = static_cast<std::uint8_t>(wall ? byte | mask : byte & ~mask);
  }

  std::uint8_t width_ = 0;
  std::uint8_t height_ = 0;
  Lines rows_ = {};     // [height], each of width cells
  Lines columns_ = {};  // [width], each of height cells
};

}  // namespace plr::maze
