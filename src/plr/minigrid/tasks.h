// The tasks of MiniGrid, each of which generates levels from 64-bit seeds.
//
// There are the 76 ids of minigrid 3.1.0 (all but those of BabyAI and WFC), with the levels that
// `env.reset(seed=seed)` gives there, and four of the PLR paper: MultiRoom-N4-Random and
// ObstructedMazeGamut-Easy, -Medium, -Hard.
//
//   const Task& task = find_task("MultiRoom-N4-Random");
//   const Level level = make_level(task, 1234);
//
// Tasks are constant after the first call of tasks() or find_task().  Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "plr/minigrid/level.h"
#include "plr/minigrid/level_random.h"

namespace plr::minigrid {

struct Task {
  std::string name;
  std::string summary;  // one line
  int width = 0;        // of every level's grid
  int height = 0;
  int max_steps = 0;  // of its longest levels; a level has its own
  Seeding seeding = Seeding::kPcg64;
  int num_actions = 7;       // the first of enum Action
  int num_variants = 1;      // kinds of level; seed s makes kind s % num_variants
  int num_difficulties = 0;  // Level::difficulty is below this; 0: levels have none
  std::function<Level(int variant, LevelRandom& random)> generate;
};

// All tasks with their default seeding.
std::span<const Task> tasks();

// Throws std::invalid_argument for an unknown name and suggests the closest known one.
const Task& find_task(std::string_view name);

// The same task with another seeding.  Throws std::invalid_argument for kLegacy if steps draw
// random numbers too (Dynamic-Obstacles).
Task with_seeding(const Task& task, Seeding seeding);

// The level of this seed.  Deterministic.
Level make_level(const Task& task, std::uint64_t seed);

// The next level of a stream in use, as an unseeded reset of the reference makes it.  Advances
// `random`.
Level make_level(const Task& task, int variant, LevelRandom& random);

inline int variant_of(const Task& task, std::uint64_t seed) {
  return static_cast<int>(seed % static_cast<std::uint64_t>(task.num_variants));
}

}  // namespace plr::minigrid
