#include "plr/maze/named_levels.h"

#include <algorithm>

namespace plr::maze {
namespace {

constexpr std::string_view kNamed =
    "name: SixteenRooms\n"
    "...#..#..#...\n"
    ".>.......#...\n"
    "...#..#......\n"
    "#.###.##.###.\n"
    "...#.........\n"
    "......#..#...\n"
    "##.#.##.###.#\n"
    "...#.....#...\n"
    "...#..#......\n"
    ".####.##.#.##\n"
    "...#..#..#...\n"
    "......#....G.\n"
    "...#.....#...\n"
    "\n"
    "name: SixteenRooms2\n"
    "...#.....#...\n"
    ".>....#..#...\n"
    "...#..#..#...\n"
    "####.##.###.#\n"
    "...#..#......\n"
    "......#..#...\n"
    "#.#####.#####\n"
    "...#..#..#...\n"
    "...#.........\n"
    "##.##.##.####\n"
    "...#..#..#...\n"
    "......#....G.\n"
    "...#..#..#...\n"
    "\n"
    "name: Labyrinth\n"
    ".............\n"
    ".###########.\n"
    ".#.........#.\n"
    ".#.#######.#.\n"
    ".#.#.....#.#.\n"
    ".#.#.###.#.#.\n"
    ".#.#.#G#.#.#.\n"
    ".#.#.#.#.#.#.\n"
    ".#...#...#.#.\n"
    ".#########.#.\n"
    ".....#.....#.\n"
    "####.#.#####.\n"
    ">....#.......\n"
    "\n"
    "name: LabyrinthFlipped\n"
    ".............\n"
    ".###########.\n"
    ".#.........#.\n"
    ".#.#######.#.\n"
    ".#.#.....#.#.\n"
    ".#.#.###.#.#.\n"
    ".#.#.#G#.#.#.\n"
    ".#.#.#.#.#.#.\n"
    ".#.#...#...#.\n"
    ".#.#########.\n"
    ".#.....#.....\n"
    ".#####.#.####\n"
    ".......#....<\n"
    "\n"
    "name: Labyrinth2\n"
    ">#...........\n"
    ".#.#########.\n"
    ".#.#.......#.\n"
    ".#.#.#####.#.\n"
    ".#.#.#...#.#.\n"
    "...#.#.#.#.#.\n"
    "####.#G#.#.#.\n"
    "...#.###.#.#.\n"
    ".#.#.....#.#.\n"
    ".#.#######.#.\n"
    ".#.........#.\n"
    ".###########.\n"
    ".............\n"
    "\n"
    "name: StandardMaze\n"
    ".....#>...#..\n"
    ".###.####.##.\n"
    ".#...........\n"
    ".########.###\n"
    "........#....\n"
    "######.#####.\n"
    "....#..#.....\n"
    ".##...##.####\n"
    "..#.#..#...#.\n"
    "#.#.##.###.#.\n"
    "#.#..#...#...\n"
    "#.##.###.###.\n"
    "...#..G#.#...\n"
    "\n"
    "name: StandardMaze2\n"
    "...#.#....#..\n"
    ".#.#.####...#\n"
    ".#........#..\n"
    ".########.###\n"
    "...#..#.#.#.G\n"
    "##.#.##.#.#..\n"
    ">#.#....#.##.\n"
    ".#.##.###..#.\n"
    ".#..#..###.#.\n"
    ".##.##.#.#.#.\n"
    ".#...#.#.#.#.\n"
    ".#.#.#.#.#.#.\n"
    "...#...#.....\n"
    "\n"
    "name: StandardMaze3\n"
    "...>#.#......\n"
    ".####.#.####.\n"
    ".#....#.#....\n"
    "...####.#.#.#\n"
    "##.#....#.#..\n"
    "...#.##.#.##.\n"
    ".#.#.#..#..#G\n"
    ".#.#.#.###.##\n"
    ".#...#.#.#...\n"
    ".###.#.#.###.\n"
    ".#...#.#...#.\n"
    ".#.###.#.#.#.\n"
    ".#...#...#...\n"
    "\n"
    "name: TrivialMaze\n"
    "...\n"
    ".#.\n"
    ">#G\n"
    "\n"
    "name: TrivialMaze2\n"
    ".....\n"
    ".....\n"
    "..#..\n"
    "..#..\n"
    ">.#.G\n"
    "\n"
    "name: TrivialMaze3\n"
    ".......\n"
    ".......\n"
    ".......\n"
    "...#...\n"
    "...#...\n"
    "...#...\n"
    ">..#..G\n"
    "\n"
    "name: NineRooms\n"
    "........#....\n"
    ".>..#........\n"
    "....#...#....\n"
    "....#...#....\n"
    "#.###.######.\n"
    "....#........\n"
    "........#....\n"
    "....#...#....\n"
    "###.###.##.##\n"
    "....#...#....\n"
    "........#....\n"
    "....#......G.\n"
    "....#...#....\n"
    "\n"
    "name: NineRoomsFewerDoors\n"
    "....#...#....\n"
    ".>..#........\n"
    "....#...#....\n"
    "....#...#....\n"
    "#.###.######.\n"
    "....#...#....\n"
    "........#....\n"
    "....#...#....\n"
    "###.##.###.##\n"
    "....#...#....\n"
    "........#....\n"
    "....#...#..G.\n"
    "....#...#....\n";

// A comb: a wall along the middle row, from which teeth reach towards the free first and last rows.
// The agent is at the left end; the goal is at the closed end of one of the gaps.
std::vector<NamedLevel> corridor(const std::string& name, int side) {
  Level level;
  level.walls = Walls(side, side);
  const int middle = side / 2;
  for (int x = 1; x < side - 1; ++x) level.walls.set({x, middle}, true);
  for (int y = 1; y < side - 1; ++y) {
    for (int x = 1; x < side - 1; x += 2) level.walls.set({x, y}, true);
  }
  level.agent = {0, middle};
  std::vector<NamedLevel> levels;
  for (const int y : {middle - 1, middle + 1}) {
    for (int x = 2; x < side - 2; x += 2) {
      level.goal = {x, y};
      levels.push_back({name + "/" + std::to_string(levels.size()), level});
    }
  }
  return levels;
}

std::vector<LevelGroup> all_groups() {
  std::vector<LevelGroup> groups;
  for (const NamedLevel& named : parse_levels(kNamed, "named levels")) {
    groups.push_back({named.name, {named}});
  }
  groups.push_back({"SmallCorridor", corridor("SmallCorridor", 13)});
  groups.push_back({"LargeCorridor", corridor("LargeCorridor", 19)});
  return groups;
}

}  // namespace

std::span<const LevelGroup> named_levels() {
  static const std::vector<LevelGroup> groups = all_groups();
  return groups;
}

std::span<const LevelGroup> evaluation_levels() { return named_levels().first(8); }

const LevelGroup* find_named_levels(std::string_view name) {
  const auto found = std::ranges::find(named_levels(), name, &LevelGroup::name);
  return found != named_levels().end() ? &*found : nullptr;
}

}  // namespace plr::maze
