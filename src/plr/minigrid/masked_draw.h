// NumPy's unbiased draw of an integer from 0..max by masking and rejection.
//
// It keeps as many low bits of a 32-bit word as max has, and draws again while they exceed max.
// RandomState does so for every integer, Generator only for shuffling.  Stateless: thread-safe if
// `next32` is.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace plr::minigrid {

// `next32` returns the next word of the stream.  REQUIRES: max > 0.
template <class Next32>
std::uint32_t masked_draw(std::uint32_t max, Next32&& next32) {
  const std::uint32_t mask = std::numeric_limits<std::uint32_t>::max() >> std::countl_zero(max);
  std::uint32_t value = next32() & mask;
  while (value > max) value = next32() & mask;
  return value;
}

}  // namespace plr::minigrid
