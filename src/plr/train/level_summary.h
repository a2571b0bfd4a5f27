// Summaries of a curriculum's levels for levels.jsonl and levels.csv.
//
//   LevelSummary summary(*env, store);
//   const run::LevelsRecord record = summary.record(update, steps, curriculum.weights());
//   const std::vector<run::LevelRow> rows = summary.table(curriculum.weights());
//
// The paper's figure of the curriculum is made of these records. Caches the difficulty of each
// level. Copyable; a copy refers to the same environment. Not thread-safe.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "plr/core/curriculum.h"
#include "plr/core/level_store.h"
#include "plr/env/vector_env.h"
#include "plr/run/records.h"

namespace plr::train {

class LevelSummary {
 public:
  // REQUIRES: both outlive this object.
  LevelSummary(const VectorEnv& env, const LevelStore& store) : env_(env), store_(store) {}

  // How the replay probability is distributed: over difficulties, where the environment has them,
  // and the ten most probable levels, with their data if they are stored.
  run::LevelsRecord record(std::int64_t update, std::int64_t steps,
                           const std::vector<LevelWeight>& weights);

  // The most probable level first. At most 10,000 rows, subsampled evenly by rank if there are more
  // levels; the first and the last are always included.
  std::vector<run::LevelRow> table(std::vector<LevelWeight> weights);

 private:
  int difficulty(LevelId level);

  const VectorEnv& env_;
  const LevelStore& store_;
  std::unordered_map<LevelId, int> difficulties_;  // cached
};

}  // namespace plr::train
