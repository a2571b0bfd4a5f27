// The tasks of the maze, each of which gives a level for every seed.
//
//   const std::optional<Task> task = find_task("PerfectMaze-19");
//   const Level level = make_level(*task, 7);
//
// Names with a parameter exist for every value of it:
//
//   random-N       N walls drawn with replacement, 0 <= N <= 167
//   random-M-N     the same with a number of walls drawn uniformly from M to N
//   PerfectMaze-S  a perfect maze of S x S cells, S odd, 3 <= S <= 101
//   file:PATH      the levels of a text file (text_form.h)
//
// A named level, corridor or file has a fixed list of levels, which is repeated: seed s is level
// s % n of n.  Copyable; constant data, thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/level_store.h"
#include "plr/maze/generate.h"
#include "plr/maze/level.h"
#include "plr/maze/text_form.h"

namespace plr::maze {

struct Task {
  std::string name;
  std::string group;    // the heading under which it is listed
  std::string summary;  // one line
  Size size = {};       // of its largest level
  int max_steps = 250;
  // One of the two: fixed levels, or a generator.
  std::vector<NamedLevel> levels = {};
  std::function<Level(Random& random)> generate = {};
};

// The tasks that are listed.
std::span<const Task> tasks();

// The task of this name, listed or not; nothing if there is none.  Throws std::invalid_argument if
// the parameter in the name is invalid or the file has an error, std::runtime_error if the file
// cannot be read.
std::optional<Task> find_task(std::string_view name);

// The name of a task with a parameter, its path made absolute; nothing for other names.  Throws as
// find_task() does, but does not read files.
std::optional<std::string> parameterized_name(std::string_view name);

// The level of this seed.  Deterministic.
Level make_level(const Task& task, std::uint64_t seed);

// The level of this id: a seed, or the handle of a level in the store, which may be null.  Throws
// std::out_of_range if the store does not have it.
Level find_level(const Task& task, const LevelStore* store, LevelId level);

// The name of the level of this seed; empty if it has none.
std::string level_name(const Task& task, std::uint64_t seed);

// 2 (width + 2) (height + 2): the step limit of minimax and DCD on named levels.
inline int area_steps(Size size) { return 2 * (size.width + 2) * (size.height + 2); }

}  // namespace plr::maze
