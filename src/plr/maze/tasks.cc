#include "plr/maze/tasks.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "plr/base/ranges.h"
#include "plr/maze/level_bytes.h"
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

struct WallCount {
  int least = 0;
  int most = 0;
};

Task random_task(const std::string& name, WallCount walls) {
  const auto generate = [walls](Random& random) {
    const int range = walls.most - walls.least + 1;
    const int extra =
        range > 1 ? static_cast<int>(random.below(static_cast<std::uint64_t>(range))) : 0;
    return random_level({}, walls.least + extra, random);
  };
  return {.name = name,
          .group = "Maze: random levels",
          .summary = walls.most == 0 ? "no walls" : "walls at random; the goal may be unreachable",
          .generate = generate};
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
  std::vector<Task> all = {random_task("random-25", {25, 25}), random_task("random-60", {60, 60}),
                           random_task("random-0-59", {0, 59}), random_task("empty", {0, 0})};
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

[[noreturn]] void refuse_parameter(const std::string& form, const std::string& bounds,
                                   std::string_view text) {
  throw std::invalid_argument("the number in maze/" + form + " must be " + bounds + ", not '" +
                              std::string(text) + "'");
}

// The text behind `prefix` in a name; nothing if the name does not begin with it.
std::optional<std::string_view> parameter(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  return name.substr(prefix.size());
}

std::optional<WallCount> random_walls(std::string_view name) {
  const auto text = parameter(name, kRandomPrefix);
  if (!text) return std::nullopt;
  const std::optional<NumberRange> range = parse_range(*text);
  if (!range || range->is_reversed() || range->last > kMaxRandomWalls) {
    refuse_parameter("random-N",
                     "from 0 to " + std::to_string(kMaxRandomWalls) + ", or a range such as 0-59",
                     *text);
  }
  return WallCount{static_cast<int>(range->first), static_cast<int>(range->last)};
}

std::optional<int> perfect_side(std::string_view name) {
  const auto text = parameter(name, kPerfectPrefix);
  if (!text) return std::nullopt;
  const std::optional<std::uint64_t> side = parse_whole_number(*text);
  if (!side || *side < 3 || *side > Walls::kMaxSide || *side % 2 == 0) {
    refuse_parameter("PerfectMaze-N", "odd and from 3 to " + std::to_string(Walls::kMaxSide),
                     *text);
  }
  return static_cast<int>(*side);
}

}  // namespace

std::span<const Task> tasks() {
  static const std::vector<Task> all = all_tasks();
  return all;
}

std::optional<Task> find_task(std::string_view name) {
  const auto listed = std::ranges::find(tasks(), name, &Task::name);
  if (listed != tasks().end()) return *listed;
  if (const auto walls = random_walls(name)) return random_task(std::string(name), *walls);
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

Level find_level(const Task& task, const LevelStore* store, LevelId level) {
  if (!is_stored(level)) return make_level(task, level);
  if (store == nullptr) throw std::out_of_range("maze/" + task.name + " has no level store");
  return level_from(store->bytes(level));
}

std::string level_name(const Task& task, std::uint64_t seed) {
  return task.levels.empty() ? "" : task.levels[seed % task.levels.size()].name;
}

}  // namespace plr::maze
