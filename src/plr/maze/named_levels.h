// The levels that published comparisons test on, by name: those of JaxUED's evaluation, its toy
// levels, and the rooms and corridors of DCD and minimax.
//
//   const Level& level = find_named_levels("Labyrinth")->levels[0].level;
//
// Constant after the first call.  Thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plr/maze/text_form.h"

namespace plr::maze {

// A corridor has one level per goal, "SmallCorridor/0" and so on; all others have one level.
struct LevelGroup {
  std::string name;
  std::vector<NamedLevel> levels;
};

std::span<const LevelGroup> named_levels();

// The first eight of them: JaxUED's evaluation, in its order.
std::span<const LevelGroup> evaluation_levels();

// Null if there is none of this name.
const LevelGroup* find_named_levels(std::string_view name);

}  // namespace plr::maze
