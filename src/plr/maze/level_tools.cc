#include "plr/maze/level_tools.h"

#include <utility>

#include "plr/maze/edit.h"
#include "plr/maze/level_bytes.h"
#include "plr/maze/maze_env.h"
#include "plr/maze/solver.h"

namespace plr::maze {
namespace {

Level edited(const Level& parent, MazeEdits edits, int count, Random& random) {
  switch (edits) {
    case MazeEdits::kTiles:
      return with_random_tiles(parent, count, kAllTiles, random);
    case MazeEdits::kTilesWithoutAgent:
      return with_random_tiles(parent, count, kTilesWithoutAgent, random);
    case MazeEdits::kFlips:
      break;
  }
  return with_random_edits(parent, count, random);
}

}  // namespace

LevelTools level_tools(const Task& task, const MazeOptions& options,
                       std::shared_ptr<LevelStore> store) {
  const auto edit = [task, edits = options.edits, store](LevelId parent, int count,
                                                         Random& random) -> LevelId {
    const Level level = find_level(task, store.get(), parent);
    const Level child = edited(level, edits, count, random);
    return child == level ? parent : store->add(to_bytes(child));
  };
  const Rules rules = {.max_steps = max_steps_of(task, options),
                       .penalize_time = options.penalize_time};
  const auto optimal = [task, rules, store, solver = Solver()](LevelId id) mutable {
    return static_cast<double>(
        optimal_return(rules, solver.num_actions(find_level(task, store.get(), id))));
  };
  return {.edit = edit, .optimal_return = optimal};
}

}  // namespace plr::maze
