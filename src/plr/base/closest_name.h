// The known name that is closest to a misspelled one, for error messages.
//
//   closest_name("DoorKey-8x8", {"MiniGrid-DoorKey-8x8-v0", "MiniGrid-Empty-8x8-v0"})
//
// The result contains the name with the fewest changed letters, ignoring case; among equals it has
// the smallest edit distance as a whole. O(total length of the known names times the name's).
// Thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace plr {

// `text` with A-Z in lower case.
std::string lower_case(std::string_view text);

// REQUIRES: `known` is not empty.
std::string closest_name(std::string_view name, std::span<const std::string> known);

}  // namespace plr
