// Which name did they mean?
//
// For messages about unknown names: the known one in which the wrong one is found with the fewest
// changed letters, whatever their case; among equals the one most alike as a whole.
//
//   closest_name("DoorKey-8x8", {"MiniGrid-DoorKey-8x8-v0", "MiniGrid-Empty-8x8-v0"})
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace plr {

// `known` must not be empty.
std::string closest_name(std::string_view name, std::span<const std::string> known);

}  // namespace plr
