// Levels as text: one character per cell, one line per row.
//
//   # wall    . floor    G goal    > v < ^ the agent, by its direction
//
//   const Level level = parse_level("...\n.#.\n>#G\n");
//   draw(level);                             // the same text
//
// A file has several levels, separated by blank lines.  A line "name: TEXT" before the first row of
// a level names it:
//
//   name: detour
//   ...
//   .#.
//   >#G
//
// Errors throw std::invalid_argument.  Stateless: thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plr/maze/level.h"

namespace plr::maze {

struct NamedLevel {
  std::string name;  // empty if it has none
  Level level;
  friend bool operator==(const NamedLevel&, const NamedLevel&) = default;
};

std::string draw(const Level& level);
// The level with the agent where it is now.
std::string draw(const Level& level, const State& state);

// A text of one level without a name.
Level parse_level(std::string_view text);

// The levels of a text, at least one.  Errors begin with "SOURCE:LINE: ".
std::vector<NamedLevel> parse_levels(std::string_view text, const std::string& source);

// The levels of a file.  Throws also std::runtime_error if it cannot be read.
std::vector<NamedLevel> read_levels(const std::string& path);

// A text that parse_levels() reads back.
std::string to_text(const std::vector<NamedLevel>& levels);

}  // namespace plr::maze
