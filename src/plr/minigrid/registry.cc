#include "plr/minigrid/registry.h"

#include <algorithm>
#include <array>
#include <utility>

#include "plr/minigrid/families/families.h"
#include "plr/minigrid/text.h"

namespace plr::minigrid {
namespace {

std::string square(int size) { return text(size, "x", size); }

// Collects the tasks; reads grid size and step limit from a generated level.
class Registry {
 public:
  // A task of the reference; `generate` takes only the stream.
  template <class Generate>
  Task& add(const std::string& id, std::string summary, Generate generate) {
    return add_variants(text("MiniGrid-", id), std::move(summary), 1,
                        [generate](int, LevelRandom& random) { return generate(random); });
  }

  template <class Generate>
  Task& add_variants(std::string name, std::string summary, int num_variants, Generate generate) {
    Task task;
    task.name = std::move(name);
    task.summary = std::move(summary);
    task.num_variants = num_variants;
    task.generate = std::move(generate);
    for (int variant = 0; variant < num_variants; ++variant) {
      LevelRandom random(Seeding::kPcg64, 0);
      const Level level = task.generate(variant, random);
      task.width = level.start.grid.width();
      task.height = level.start.grid.height();
      task.max_steps = std::max(task.max_steps, level.max_steps);
    }
    return tasks_.emplace_back(std::move(task));
  }

  std::vector<Task> take() { return std::move(tasks_); }

 private:
  std::vector<Task> tasks_;
};

void add_open_rooms(Registry& registry) {
  const auto add = [&](const std::string& shape, int size, AgentStart start) {
    registry.add(text("Empty-", shape, "-v0"), "Walk to the goal in an empty room.",
                 [=](LevelRandom& random) { return empty(size, start, random); });
  };
  const auto add_dynamic = [&](const std::string& shape, int size, int count, AgentStart start) {
    Task& task = registry.add(
        text("Dynamic-Obstacles-", shape, "-v0"),
        "Walk to the goal without bumping into balls that move.",
        [=](LevelRandom& random) { return dynamic_obstacles(size, count, start, random); });
    task.num_actions = 3;
  };
  for (const int size : {5, 6, 8, 16}) add(square(size), size, AgentStart::kCorner);
  for (const int size : {5, 6}) add(text("Random-", square(size)), size, AgentStart::kAnywhere);
  for (const auto& [size, count] : {std::pair(5, 2), {6, 3}, {8, 4}, {16, 8}}) {
    add_dynamic(square(size), size, count, AgentStart::kCorner);
  }
  for (const auto& [size, count] : {std::pair(5, 2), {6, 3}}) {
    add_dynamic(text("Random-", square(size)), size, count, AgentStart::kAnywhere);
  }
  registry.add("FourRooms-v0", "Find the goal somewhere in four connected rooms.", four_rooms);
}

void add_lava_and_crossings(Registry& registry) {
  for (const auto& [id, row] : {std::pair("DistShift1-v0", 2), {"DistShift2-v0", 5}}) {
    registry.add(id, "Walk to the goal around two strips of lava.",
                 [row = row](LevelRandom& random) { return dist_shift(row, random); });
  }
  for (const int size : {5, 6, 7}) {
    registry.add(text("LavaGapS", size, "-v0"),
                 "Walk to the goal through the one gap in a column of lava.",
                 [=](LevelRandom& random) { return lava_gap(size, random); });
  }
  for (const auto& [size, count] : {std::pair(9, 1), {9, 2}, {9, 3}, {11, 5}}) {
    const std::string shape = text("S", size, "N", count, "-v0");
    const auto add = [&, size = size, count = count](const char* name, const char* summary,
                                                     Cell barrier) {
      registry.add(text(name, shape), summary,
                   [=](LevelRandom& random) { return crossing(size, count, barrier, random); });
    };
    add("LavaCrossing", "Walk to the goal through the gaps in rivers of lava.", kLavaCell);
    add("SimpleCrossing", "Walk to the goal through the gaps in walls.", kWallCell);
  }
}

void add_keys_and_doors(Registry& registry) {
  for (const int size : {5, 6, 8, 16}) {
    registry.add(text("DoorKey-", square(size), "-v0"),
                 "Take the key, open the door, walk to the goal behind it.",
                 [=](LevelRandom& random) { return door_key(size, random); });
  }
  registry.add("Unlock-v0", "Take the key and open the door.", unlock);
  registry.add("UnlockPickup-v0", "Open the locked door and pick up the box behind it.",
               unlock_pickup);
  registry.add("BlockedUnlockPickup-v0",
               "Move the ball away, open the locked door and pick up the box behind it.",
               blocked_unlock_pickup);
  for (const auto& [size, rows] : {std::pair(3, 1), {3, 2}, {3, 3}, {4, 3}, {5, 3}, {6, 3}}) {
    registry.add(text("KeyCorridorS", size, "R", rows, "-v0"),
                 "Find the key in the rooms along a corridor, then the ball in the locked room.",
                 [size = size, rows = rows](LevelRandom& random) {
                   return key_corridor(size, rows, random);
                 });
  }
  registry.add("LockedRoom-v0", "Find the key in one of six rooms, the goal in another.",
               locked_room);
  for (const int size : {6, 8}) {
    registry.add(text("RedBlueDoors-", square(size), "-v0"),
                 "Open the red door first and the blue door second.",
                 [=](LevelRandom& random) { return red_blue_doors(size, random); });
  }
}

void add_objects(Registry& registry) {
  for (const auto& [size, count] : {std::pair(5, 2), {6, 2}, {8, 3}}) {
    registry.add(
        text("Fetch-", square(size), "-N", count, "-v0"),
        "Pick up the object of the mission and no other.",
        [size = size, count = count](LevelRandom& random) { return fetch(size, count, random); });
  }
  for (const int size : {5, 6, 8}) {
    registry.add(text("GoToDoor-", square(size), "-v0"),
                 "Walk to the door of the mission's color, then take the action done.",
                 [=](LevelRandom& random) { return go_to_door(size, random); });
  }
  for (const int size : {6, 8}) {
    registry.add(text("GoToObject-", square(size), "-N2-v0"),
                 "Walk to the object of the mission, then take the action done.",
                 [=](LevelRandom& random) { return go_to_object(size, 2, random); });
  }
  for (const auto& [size, count] : {std::pair(6, 2), {8, 3}}) {
    registry.add(text("PutNear-", square(size), "-N", count, "-v0"),
                 "Carry one object of the mission next to the other.",
                 [size = size, count = count](LevelRandom& random) {
                   return put_near(size, count, random);
                 });
  }
  registry.add("Playground-v0", "Nine rooms full of objects, without a goal.", playground);
}

void add_memory(Registry& registry) {
  const auto add = [&](const std::string& shape, int size, bool random_length) {
    registry.add(text("Memory", shape, "-v0"),
                 "Remember an object and turn to the same kind at the end of a hallway.",
                 [=](LevelRandom& random) { return memory(size, random_length, random); });
  };
  for (const int size : {7, 9, 11, 13}) add(text("S", size), size, false);
  for (const int size : {13, 17}) add(text("S", size, "Random"), size, true);
}

void add_multi_rooms(Registry& registry) {
  const auto add = [&](std::string name, const MultiRoomShape& shape) -> Task& {
    Task& task = registry.add_variants(
        std::move(name), "Walk to the goal through a chain of rooms with closed doors.", 1,
        [=](int, LevelRandom& random) { return multi_room(shape, random); });
    task.num_difficulties = shape.max_rooms;
    return task;
  };
  add("MiniGrid-MultiRoom-N2-S4-v0", {.min_rooms = 2, .max_rooms = 2, .max_room_size = 4});
  // Six rooms despite the name: the reference keeps an old mistake in version 0.
  add("MiniGrid-MultiRoom-N4-S5-v0", {.min_rooms = 6, .max_rooms = 6, .max_room_size = 5});
  add("MiniGrid-MultiRoom-N4-S5-v1", {.min_rooms = 4, .max_rooms = 4, .max_room_size = 5});
  add("MiniGrid-MultiRoom-N6-v0", {.min_rooms = 6, .max_rooms = 6});
  Task& paper = add("MultiRoom-N4-Random",
                    {.min_rooms = 1, .max_rooms = 4, .max_room_size = 5, .grid_size = 14});
  paper.summary = "The paper's MultiRoom: one to four rooms on a 14 x 14 grid.";
  paper.seeding = Seeding::kLegacy;
}

// The nine mazes by increasing difficulty, with the parameters that minigrid registers.
struct NamedMaze {
  const char* name;
  ObstructedMazeShape shape;
};

constexpr ObstructedMazeShape kTwoRoomMaze = {.two_rooms = true, .rooms_visited = 2};
constexpr ObstructedMazeShape kTwoDoorMaze = {.rooms_visited = 4, .agent_room = {2, 1}};
constexpr ObstructedMazeShape kObstructedMaze = {.key_in_box = true, .blocked = true};

constexpr ObstructedMazeShape with_boxes(ObstructedMazeShape shape, bool blocked) {
  shape.key_in_box = true;
  shape.blocked = blocked;
  return shape;
}

constexpr ObstructedMazeShape quarters(int count, int rooms_visited, Position agent_room) {
  ObstructedMazeShape shape = kObstructedMaze;
  shape.quarters = count;
  shape.rooms_visited = rooms_visited;
  shape.agent_room = agent_room;
  return shape;
}

constexpr std::array<NamedMaze, 9> kMazes = {{
    {"1Dl", kTwoRoomMaze},
    {"1Dlh", with_boxes(kTwoRoomMaze, false)},
    {"1Dlhb", with_boxes(kTwoRoomMaze, true)},
    {"2Dl", kTwoDoorMaze},
    {"2Dlh", with_boxes(kTwoDoorMaze, false)},
    {"2Dlhb", with_boxes(kTwoDoorMaze, true)},
    {"1Q", quarters(1, 5, {1, 1})},
    {"2Q", quarters(2, 11, {2, 1})},
    {"Full", quarters(4, 25, {1, 1})},
}};

// The paper's fork has rooms of 7 on a fixed grid of 19 x 19 and starts 2Q in the middle.
ObstructedMazeShape gamut_shape(int difficulty) {
  ObstructedMazeShape shape = kMazes[static_cast<std::size_t>(difficulty)].shape;
  shape.room_size = 7;
  shape.min_grid_size = 19;
  if (shape.quarters == 2) shape.agent_room = {1, 1};
  return shape;
}

void add_obstructed_mazes(Registry& registry) {
  for (const NamedMaze& maze : kMazes) {
    const auto add = [&](const std::string& version, bool keys_last) {
      ObstructedMazeShape shape = maze.shape;
      shape.keys_last = keys_last;
      registry.add(text("ObstructedMaze-", maze.name, version),
                   "Get past locked doors, hidden keys and obstacles to the blue ball.",
                   [=](LevelRandom& random) { return obstructed_maze(shape, random); });
    };
    add("-v0", false);
    // Version 1 exists where a ball could land on a box with a key.
    if (maze.shape.blocked && !maze.shape.two_rooms) add("-v1", true);
  }
  for (const auto& [name, count] : {std::pair("Easy", 3), {"Medium", 6}, {"Hard", 9}}) {
    Task& task = registry.add_variants(
        text("ObstructedMazeGamut-", name),
        text("The paper's mixture of the first ", count, " ObstructedMaze tasks."), count,
        [](int variant, LevelRandom& random) {
          Level level = obstructed_maze(gamut_shape(variant), random);
          level.difficulty = static_cast<std::uint8_t>(variant);
          return level;
        });
    task.num_difficulties = count;
    task.seeding = Seeding::kLegacy;
  }
}

}  // namespace

std::vector<Task> registered_tasks() {
  Registry registry;
  add_open_rooms(registry);
  add_lava_and_crossings(registry);
  add_keys_and_doors(registry);
  add_objects(registry);
  add_memory(registry);
  add_multi_rooms(registry);
  add_obstructed_mazes(registry);
  return registry.take();
}

}  // namespace plr::minigrid
