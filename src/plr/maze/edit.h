// Edits: small changes of a level, from which ACCEL makes new levels.
//
// An edit is drawn first and applied then, so that a recorded edit can be repeated:
//
//   const Level child = with_random_edits(parent, 5, random);
//
//   Level level = parent;                                        // the same in two parts
//   for (int i = 0; i < 5; ++i) apply(random_edit(level, random), level);
//
// Edits never move or turn the agent, and keep a level well formed.  The goal may become
// unreachable, and the child may equal its parent.
//
// Tile edits are the other kind, that of JaxUED's second mutator: they set cells, agent and goal,
// and place an agent or goal that lost its cell at random.
//
// Plain values; an edit takes O(cells) time.  Stateless: thread-safe for distinct streams.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/maze/level.h"

namespace plr::maze {

// ---- Edits of JaxUED's ACCEL and of minimax.

enum class EditKind : std::uint8_t {
  kNothing,
  kFlip,      // the cell becomes floor if it was wall, and wall if it was floor
  kMoveGoal,  // the goal moves to the cell
};

struct Edit {
  EditKind kind = EditKind::kNothing;
  Position cell = {};  // unused by kNothing
  friend bool operator==(const Edit&, const Edit&) = default;
};

// Each kind with probability 1/3.  kFlip draws from all cells but those of goal and agent,
// kMoveGoal from the floor cells but those of goal and agent; where there is no such cell, nothing
// is edited.
Edit random_edit(const Level& level, Random& random);

// Throws std::invalid_argument if the cell is none that random_edit() draws.
void apply(const Edit& edit, Level& level);

// The child of `count` random edits, of which two thirds change something on average.
Level with_random_edits(const Level& parent, int count, Random& random);

// ---- Tile edits.

enum class Tile : std::uint8_t { kWall, kFloor, kAgent, kGoal };
inline constexpr std::array kAllTiles = {Tile::kWall, Tile::kFloor, Tile::kAgent, Tile::kGoal};
// Those of the edits in DCD's ACCEL.
inline constexpr std::array kTilesWithoutAgent = {Tile::kWall, Tile::kFloor, Tile::kGoal};

struct TileEdit {
  Position cell = {};
  Tile tile = Tile::kWall;
  Direction direction = Direction::kRight;  // of an agent
  friend bool operator==(const TileEdit&, const TileEdit&) = default;
};

// The edits of up to `count` cells: `count` draws with replacement without duplicates, in random
// order, each with one of the tiles.
std::vector<TileEdit> random_tile_edits(const Level& level, int count, Random& random,
                                        std::span<const Tile> tiles = kAllTiles);

// A level after tile edits, in which agent or goal may have lost their cells.
struct TileEdited {
  Level level;  // well formed if nothing is displaced
  bool agent_displaced = false;
  bool goal_displaced = false;
};
// Throws std::invalid_argument for a cell outside of the level.
TileEdited with_tiles(const Level& parent, std::span<const TileEdit> edits);

// Places a displaced goal on a random floor cell, and then a displaced agent with a random
// direction; nothing if too few floor cells are left.
std::optional<Level> settled(const TileEdited& edited, Random& random);

// The child of `count` random tile edits; the parent if they leave too few floor cells.
Level with_random_tiles(const Level& parent, int count, std::span<const Tile> tiles,
                        Random& random);

}  // namespace plr::maze
