#include "plr/maze/level_bytes.h"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace plr::maze {
namespace {

constexpr std::size_t kHeader = 2;   // width, height
constexpr std::size_t kTrailer = 5;  // goal, agent, direction

std::size_t wall_bytes(int num_cells) { return (static_cast<std::size_t>(num_cells) + 7) / 8; }

[[noreturn]] void refuse(const std::string& what) {
  throw std::runtime_error("bytes of a maze: " + what);
}

}  // namespace

std::vector<std::byte> to_bytes(const Level& level) {
  const std::size_t num_walls = wall_bytes(level.num_cells());
  std::vector<std::byte> bytes(kHeader + num_walls + kTrailer);
  bytes[0] = static_cast<std::byte>(level.width());
  bytes[1] = static_cast<std::byte>(level.height());
  for (int i = 0; i < level.num_cells(); ++i) {
    if (!level.walls.at_or_beside(level.cell(i))) continue;
    bytes[kHeader + static_cast<std::size_t>(i) / 8] |= std::byte{1} << (i % 8);
  }
  std::byte* trailer = bytes.data() + kHeader + num_walls;
  for (const Position p : {level.goal, level.agent}) {
    const int index = level.index(p);
    *trailer++ = static_cast<std::byte>(index & 0xff);
    *trailer++ = static_cast<std::byte>(index >> 8);
  }
  *trailer = static_cast<std::byte>(level.direction);
  return bytes;
}

Level level_from(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeader + kTrailer) refuse("too few");
  const int width = std::to_integer<int>(bytes[0]);
  const int height = std::to_integer<int>(bytes[1]);
  if (width < 1 || width > Walls::kMaxSide || height < 1 || height > Walls::kMaxSide) {
    refuse("the size is " + std::to_string(width) + " x " + std::to_string(height));
  }
  Level level;
  level.walls = Walls(width, height);
  const std::size_t num_walls = wall_bytes(level.num_cells());
  if (bytes.size() != kHeader + num_walls + kTrailer)
    refuse("their number does not match the size");
  for (std::size_t i = 0; i < 8 * num_walls; ++i) {
    if ((bytes[kHeader + i / 8] >> (i % 8) & std::byte{1}) == std::byte{0}) continue;
    if (static_cast<int>(i) >= level.num_cells()) refuse("a wall is outside");
    level.walls.set(level.cell(static_cast<int>(i)), true);
  }
  const std::byte* trailer = bytes.data() + kHeader + num_walls;
  for (Position* p : {&level.goal, &level.agent}) {
    *p = level.cell(std::to_integer<int>(trailer[0]) | std::to_integer<int>(trailer[1]) << 8);
    trailer += 2;
  }
  level.direction = static_cast<Direction>(*trailer);
  if (const char* defect = defect_of(level)) refuse(defect);
  return level;
}

}  // namespace plr::maze
