// Cells and grids of MiniGrid, stored in the bytes of its observation.
//
// A cell is (kind, color, state), and cells are stored column by column (x is the slow axis), as
// minigrid encodes them.  The full observation is therefore a copy of the grid's memory.  x grows
// to the right, y downwards; (0, 0) is the top left corner.
//
//   Grid grid(8, 8);                                        // all cells empty
//   grid.set({3, 4}, door(Color::kYellow, DoorState::kLocked));
//   grid.at({3, 4}).see_through();                          // false until it opens
//
// Plain values without pointers: copyable by memcpy.  Concurrent reads are safe.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <string_view>

namespace plr::minigrid {

// The values are those of minigrid's encoding.
enum class Kind : std::uint8_t {
  kUnseen,
  kEmpty,
  kWall,
  kFloor,
  kDoor,
  kKey,
  kBall,
  kBox,
  kGoal,
  kLava,
  kAgent
};
enum class Color : std::uint8_t { kRed, kGreen, kBlue, kPurple, kYellow, kGrey };
enum class DoorState : std::uint8_t { kOpen, kClosed, kLocked };

// The colors in the order in which minigrid draws them: by name.
inline constexpr std::array<Color, 6> kColorsByName = {
    Color::kBlue, Color::kGreen, Color::kGrey, Color::kPurple, Color::kRed, Color::kYellow};

std::string_view name_of(Color color);
std::string_view name_of(Kind kind);

struct Position {
  int x = -1;
  int y = -1;
  friend bool operator==(const Position&, const Position&) = default;
  friend Position operator+(Position a, Position b) { return {a.x + b.x, a.y + b.y}; }
  friend Position operator-(Position a, Position b) { return {a.x - b.x, a.y - b.y}; }
};

// In the order of turning right, which is also minigrid's order of the doors of a room.
enum class Direction : std::uint8_t { kRight, kDown, kLeft, kUp };

inline Position offset(Direction direction) {
  constexpr std::array<Position, 4> kOffsets = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
  return kOffsets[static_cast<std::size_t>(direction)];
}

inline Direction turned(Direction direction, int quarter_turns_right) {
  return static_cast<Direction>((static_cast<int>(direction) + quarter_turns_right) & 3);
}

struct Cell {
  Kind kind = Kind::kEmpty;
  Color color = Color::kRed;
  std::uint8_t state = 0;  // of a door: its DoorState; of the agent: its Direction

  friend bool operator==(const Cell&, const Cell&) = default;

  bool is_open_door() const { return kind == Kind::kDoor && state == 0; }
  bool see_through() const { return kind != Kind::kWall && (kind != Kind::kDoor || state == 0); }
  bool can_be_entered() const {
    return kind == Kind::kEmpty || kind == Kind::kFloor || kind == Kind::kGoal ||
           kind == Kind::kLava || is_open_door();
  }
  bool can_be_carried() const {
    return kind == Kind::kKey || kind == Kind::kBall || kind == Kind::kBox;
  }
};
static_assert(sizeof(Cell) == 3, "a cell is its three bytes of the observation");

inline constexpr Cell kEmptyCell = {};
inline constexpr Cell kWallCell = {Kind::kWall, Color::kGrey};
inline constexpr Cell kGoalCell = {Kind::kGoal, Color::kGreen};
inline constexpr Cell kLavaCell = {Kind::kLava, Color::kRed};

constexpr Cell door(Color color, DoorState state) {
  return {Kind::kDoor, color, static_cast<std::uint8_t>(state)};
}
constexpr Cell key(Color color) { return {Kind::kKey, color}; }
constexpr Cell ball(Color color) { return {Kind::kBall, color}; }
constexpr Cell box(Color color) { return {Kind::kBox, color}; }

// The content of a box: a key or nothing.  One byte: 0, or 1 + the color.
struct BoxContent {
  std::uint8_t code = 0;

  static constexpr BoxContent key_of(Color color) {
    return {static_cast<std::uint8_t>(1 + static_cast<int>(color))};
  }
  // The cell that an opened box leaves behind.
  constexpr Cell revealed() const {
    return code == 0 ? kEmptyCell : key(static_cast<Color>(code - 1));
  }
  friend bool operator==(const BoxContent&, const BoxContent&) = default;
};

class Grid {
 public:
  static constexpr int kMaxSide = 25;
  static constexpr int kMaxCells = kMaxSide * kMaxSide;

  Grid() = default;
  // A grid of empty cells.  REQUIRES: 1 <= width, height <= kMaxSide.
  Grid(int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }
  int num_cells() const { return width_ * height_; }

  bool contains(Position p) const { return p.x >= 0 && p.x < width_ && p.y >= 0 && p.y < height_; }

  Cell at(Position p) const { return cells_[index(p)]; }
  BoxContent inside_box(Position p) const { return contents_[index(p)]; }
  bool is_empty(Position p) const { return at(p).kind == Kind::kEmpty; }

  void set(Position p, Cell cell, BoxContent content = {}) {
    const std::size_t i = index(p);
    cells_[i] = cell;
    contents_[i] = content;
  }
  void set_door_state(Position p, DoorState state) {
    cells_[index(p)].state = static_cast<std::uint8_t>(state);
  }

  // The encoding: [width, height, 3] bytes.
  const std::uint8_t* bytes() const { return reinterpret_cast<const std::uint8_t*>(cells_.data()); }

  friend bool operator==(const Grid&, const Grid&) = default;

 private:
  std::size_t index(Position p) const {
    assert(contains(p));
    return static_cast<std::size_t>(p.x * height_ + p.y);
  }

  std::uint8_t width_ = 0;
  std::uint8_t height_ = 0;
  std::array<Cell, kMaxCells> cells_ = {};           // [width, height], the rest unused and empty
  std::array<BoxContent, kMaxCells> contents_ = {};  // [width, height] as cells_
};

}  // namespace plr::minigrid
