#include "plr/maze/tasks.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "plr/base/ranges.h"
#include "plr/maze/named_levels.h"

namespace plr::maze {
namespace {

constexpr std::string_view kRandomPrefix = "random-";
constexpr std::string_view kPerfectPrefix = "PerfectMaze-";
constexpr std::string_view kFilePrefix = "file:";

constexpr int kMaxRandomWalls = Size{}.width * Size{}.height - 2;  // leaves agent and goal a cell

Size size_of(const std::vector<NamedLevel>& levels) {
  Size size = {0, 0};
  for (const NamedLevel& named : levels) {
    size.width = std::max(size.width, named.level.width());
    size.height = std::max(size.height, named.level.height());
  }
  return size;
}

Task random_task(const std::string& name, int num_walls) {
  return {.name = name,
          .group = "Maze: random levels",
          .summary = num_walls == 0 ? "no walls" : "walls at random; the goal may be unreachable",
          .generate = [num_walls](Random& random) { return random_level({}, num_walls, random); }};
}

Task perfect_task(int side) {
  const Size size = {side, side};
  return {.name = std::string(kPerfectPrefix) + std::to_string(side),
          .group = "Maze: drawn levels",
          .summary = "a perfect maze: one way between any two cells",
          .size = size,
          .max_steps = area_steps(size),
          .generate = [size](Random& random) { return perfect_maze(size, random); }};
}

Task fixed_task(const std::string& name, const std::string& summary,
                std::vector<NamedLevel> levels) {
  return {.name = name,
          .group = "Maze: named levels",
          .summary = summary,
          .size = size_of(levels),
          .levels = std::move(levels)};
}

std::string summary_of(const LevelGroup& group) {
  if (group.levels.size() > 1) return "a corridor with the goal in one of its arms";
  if (group.name.starts_with("Trivial")) return "toy levels";
  const bool is_evaluated = std::ranges::find(evaluation_levels(), group.name, &LevelGroup::name) !=
                            evaluation_levels().end();
  return is_evaluated ? "one level of JaxUED's evaluation" : "rooms of DCD";
}

std::vector<NamedLevel> evaluation_set() {
  std::vector<NamedLevel> levels;
  for (const LevelGroup& group : evaluation_levels()) levels.push_back(group.levels[0]);
  return levels;
}

std::vector<Task> all_tasks() {
  std::vector<Task> all = {random_task("random-25", 25), random_task("random-60", 60),
                           random_task("empty", 0)};
  all.push_back(
      fixed_task("JaxUED-8", "JaxUED's evaluation: eight levels in its order", evaluation_set()));
  for (const LevelGroup& group : named_levels()) {
    all.push_back(fixed_task(group.name, summary_of(group), group.levels));
  }
  for (const int side : {13, 19, 51, 101}) all.push_back(perfect_task(side));
  all.push_back({.name = "FourRooms",
                 .group = "Maze: drawn levels",
                 .summary = "four rooms with a door between neighbors",
                 .size = {17, 17},
                 .generate = [](Random& random) {
                   return four_rooms({17, 17}, random);
                 }});
  all.push_back({.name = "Crossing",
                 .group = "Maze: drawn levels",
                 .summary = "five walls from edge to edge, each with an opening",
                 .size = {9, 9},
                 .max_steps = 484,  // minimax's 4 (side + 2)^2
                 .generate = [](Random& random) { return crossing(9, 5, random); }});
  return all;
}

// The number behind `prefix` in a name; nothing if the name does not begin with it.
std::optional<int> parameter(std::string_view name, std::string_view prefix, int low, int high,
                             bool must_be_odd) {
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::string_view text = name.substr(prefix.size());
  const std::optional<std::uint64_t> number = parse_whole_number(text);
  const bool is_valid = number && *number >= static_cast<std::uint64_t>(low) &&
                        *number <= static_cast<std::uint64_t>(high) &&
                        (!must_be_odd || *number % 2 == 1);
  if (!is_valid) {
    throw std::invalid_argument("the number in maze/" + std::string(prefix) + "N must be " +
                                (must_be_odd ? "odd and " : "") + "from " + std::to_string(low) +
                                " to " + std::to_string(high) + ", not '" + std::string(text) +
                                "'");
  }
  return static_cast<int>(*number);
}

std::optional<int> random_walls(std::string_view name) {
  return parameter(name, kRandomPrefix, 0, kMaxRandomWalls, false);
}

std::optional<int> perfect_side(std::string_view name) {
  return parameter(name, kPerfectPrefix, 3, Walls::kMaxSide, true);
}

}  // namespace

std::span<const Task> tasks() {
  static const std::vector<Task> all = all_tasks();
  return all;
}

std::optional<Task> find_task(std::string_view name) {
  const auto listed = std::ranges::find(tasks(), name, &Task::name);
  if (listed != tasks().end()) return *listed;
  if (const auto num_walls = random_walls(name)) return random_task(std::string(name), *num_walls);
  if (const auto side = perfect_side(name)) return perfect_task(*side);
  if (name.starts_with(kFilePrefix)) {
    const std::string path(name.substr(kFilePrefix.size()));
    return fixed_task(std::string(name), "the levels of a file", read_levels(path));
  }
  return std::nullopt;
}

std::optional<std::string> parameterized_name(std::string_view name) {
  if (random_walls(name) || perfect_side(name)) return std::string(name);
  if (!name.starts_with(kFilePrefix)) return std::nullopt;
  const std::filesystem::path path = name.substr(kFilePrefix.size());
  return std::string(kFilePrefix) + std::filesystem::absolute(path).lexically_normal().string();
}

Level make_level(const Task& task, std::uint64_t seed) {
  if (!task.levels.empty()) return task.levels[seed % task.levels.size()].level;
  Random random = Streams(seed).named("maze");
  return task.generate(random);
}

std::string level_name(const Task& task, std::uint64_t seed) {
  return task.levels.empty() ? "" : task.levels[seed % task.levels.size()].name;
}

}  // namespace plr::maze
