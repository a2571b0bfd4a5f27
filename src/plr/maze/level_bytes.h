// A level of the maze as bytes, the form in which a LevelStore (core/level_store.h) holds it.
//
//   const std::vector<std::byte> bytes = to_bytes(level);   // 29 bytes for 13 x 13
//   level_from(bytes) == level
//
// The bytes: width, height, the walls as bits in the order of cell indices, the cell indices of
// goal and agent as two bytes each, the direction.  Equal levels have equal bytes and vice versa.
//
// Stateless: thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plr/maze/level.h"

namespace plr::maze {

std::vector<std::byte> to_bytes(const Level& level);

// Throws std::runtime_error for bytes that to_bytes() does not return.
Level level_from(std::span<const std::byte> bytes);

}  // namespace plr::maze
