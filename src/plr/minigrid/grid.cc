#include "plr/minigrid/grid.h"

namespace plr::minigrid {

std::string_view name_of(Color color) {
  constexpr std::array<std::string_view, 6> kNames = {"red",    "green",  "blue",
                                                      "purple", "yellow", "grey"};
  return kNames[static_cast<std::size_t>(color)];
}

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, 11> kNames = {
      "unseen", "empty", "wall", "floor", "door", "key", "ball", "box", "goal", "lava", "agent"};
  return kNames[static_cast<std::size_t>(kind)];
}

Grid::Grid(int width, int height)
    : width_(static_cast<std::uint8_t>(width)), height_(static_cast<std::uint8_t>(height)) {
  assert(width > 0 && width <= kMaxSide && height > 0 && height <= kMaxSide);
}

}  // namespace plr::minigrid
