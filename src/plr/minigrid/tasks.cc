#include "plr/minigrid/tasks.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "plr/base/closest_name.h"
#include "plr/minigrid/registry.h"
#include "plr/minigrid/text.h"

namespace plr::minigrid {
namespace {

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const Task& task : tasks()) names.push_back(task.name);
  return names;
}

}  // namespace

std::span<const Task> tasks() {
  static const std::vector<Task> all = registered_tasks();
  return all;
}

const Task& find_task(std::string_view name) {
  for (const Task& task : tasks()) {
    if (task.name == name) return task;
  }
  throw std::invalid_argument(text("unknown MiniGrid task '", name, "'; did you mean ",
                                   closest_name(name, task_names()), "?"));
}

Task with_seeding(const Task& task, Seeding seeding) {
  const bool draws_while_stepping = make_level(task, 0).rules == Rules::kMovingObstacles;
  if (seeding == Seeding::kLegacy && draws_while_stepping) {
    throw std::invalid_argument(
        text("seeding: ", task.name, " must be pcg64, since its steps draw random numbers"));
  }
  Task other = task;
  other.seeding = seeding;
  return other;
}

Level make_level(const Task& task, std::uint64_t seed) {
  LevelRandom random(task.seeding, seed);
  return make_level(task, variant_of(task, seed), random);
}

Level make_level(const Task& task, int variant, LevelRandom& random) {
  Level level = task.generate(variant, random);
  if (random.numpy() != nullptr) level.start.random = *random.numpy();
  return level;
}

}  // namespace plr::minigrid
