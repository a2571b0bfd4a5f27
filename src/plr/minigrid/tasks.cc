#include "plr/minigrid/tasks.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "plr/minigrid/registry.h"
#include "plr/minigrid/text.h"

namespace plr::minigrid {
namespace {

// Letters to insert, remove or change to make `b` of `a` (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({change, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

std::string closest_name(std::string_view name) {
  const auto all = tasks();
  return std::min_element(all.begin(), all.end(),
                          [&](const Task& a, const Task& b) {
                            return edit_distance(name, a.name) < edit_distance(name, b.name);
                          })
      ->name;
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
  throw std::invalid_argument(
      text("unknown MiniGrid task '", name, "'; did you mean ", closest_name(name), "?"));
}

Task with_seeding(const Task& task, Seeding seeding) {
  const bool draws_while_stepping = make_level(task, 0).rules == Rules::kMovingObstacles;
  if (seeding == Seeding::kLegacy && draws_while_stepping) {
    throw std::invalid_argument(
        text("seeding: ", task.name, " must be pcg64, since its steps draw too"));
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
