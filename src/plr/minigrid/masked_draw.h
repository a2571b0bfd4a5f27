// How does NumPy draw from 0..max with 32-bit words and without bias?
//
// It keeps as many low bits as max has and draws again while they exceed it.  RandomState does so
// for every integer, Generator for shuffling only.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace plr::minigrid {

// `next32` returns the next word of the stream.  max must be positive.
template <class Next32>
std::uint32_t masked_draw(std::uint32_t max, Next32&& next32) {
  const std::uint32_t mask = std::numeric_limits<std::uint32_t>::max() >> std::countl_zero(max);
  std::uint32_t value = next32() & mask;
  while (value > max) value = next32() & mask;
  return value;
}

}  // namespace plr::minigrid
