// Positions that are spread evenly over a list.
//
//   even_position(0, 3, 9), even_position(1, 3, 9), even_position(2, 3, 9)   // 0, 4, 8
//
// A free function without state; thread-safe.
#pragma once

#include <cstddef>

namespace plr {

// Position i of `count` ones among `size`: the first is 0 and, of several, the last size - 1.
// REQUIRES: i < count <= size.
constexpr std::size_t even_position(std::size_t i, std::size_t count, std::size_t size) {
  return count > 1 ? i * (size - 1) / (count - 1) : 0;
}

}  // namespace plr
